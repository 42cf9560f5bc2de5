import type { Params } from '../../api/client';
import { address } from '../../api/client';

export const many = '/orgs/{organization}/servers/{server}/sites/{site}/files';
export const entry = `${many}/entry` as const;
export const content = `${many}/content` as const;

/** largest is the largest file that can be uploaded, in bytes. */
export const largest = 2 ** 30;

/** below is the path of a name in a directory. A backslash of a typed name is written twice, as the API has it. */
export const below = (dir: string, name: string) => (dir === '/' ? '' : dir) + '/' + name;
export const typed = (name: string) => name.replaceAll('\\', '\\\\');
export const parent = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';
export const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

export const downloadOf = (params: Params, path: string) => address(`${many}/download`, params, { path });

/** save has the browser save a file; an answer that is none is not shown in place of the page. */
export function save(params: Params, path: string) {
  const link = document.createElement('a');
  link.href = downloadOf(params, path);
  link.download = '';
  link.click();
}

export interface Sending {
  name: string;
  /** done is the part that has arrived, from 0 to 1. */
  done: number;
  problem?: string;
  stop: () => void;
}

/** upload sends a file, and says how far it is. It resolves to what was wrong, '' for nothing. */
export function upload(params: Params, path: string, file: Blob, replace: boolean, progress: (done: number) => void) {
  const request = new XMLHttpRequest();
  const end = new Promise<{ status: number; problem: string }>((resolve) => {
    request.upload.onprogress = (e) => progress(e.loaded / Math.max(e.total, 1));
    request.onloadend = () => {
      let message = '';
      try {
        message = (JSON.parse(request.responseText) as { message?: string }).message ?? '';
      } catch {
        // there is no answer, or a proxy's
      }
      resolve({ status: request.status, problem: request.status >= 200 && request.status < 300 ? '' : message || String(request.status) });
    };
  });
  request.open('PUT', address(`${many}/upload`, params, { path, replace: replace || undefined }));
  const headers = { 'Content-Type': 'application/octet-stream', Accept: 'application/json', 'X-Hostler-Csrf': '1' };
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.send(file);
  return { end, stop: () => request.abort() };
}
