import { main } from './lib.mjs'; await main(async () => {});
