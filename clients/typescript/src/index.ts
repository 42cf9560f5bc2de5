export * from './api.js';
export { type Answer, type CallOptions, type Done, HostlerError, List, type Message, type Options, type Page, type Problem, type Ref, type Work, WorkError } from './core.js';
