import { createContext, useContext } from 'react';
import type { Server } from '../../api/types';

/** ServerContext has the server whose pages are open. */
export const ServerContext = createContext<Server | null>(null);
export const useServer = () => useContext(ServerContext)!;
