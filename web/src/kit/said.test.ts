import { expect, test } from 'vitest';
import type { Event } from '../api/types';
import { said } from './said';

const event = (description: string, state?: string) => ({ attributes: { description }, meta: state ? { operation: { state } } : {} }) as Event;

test('what an event says is in the past once its work has ended well', () => {
  for (const [description, past] of [
    ['Installing site shop.example.com', 'Installed site shop.example.com'],
    ['Updating site shop.example.com', 'Updated site shop.example.com'],
    ['Removing firewall rule HTTP', 'Removed firewall rule HTTP'],
    ['Copying shop to staging', 'Copied shop to staging'],
    ['Deploying shop.example.com', 'Deployed shop.example.com'],
    ['Stopping nginx', 'Stopped nginx'],
    ['Taking the key from web-1', 'Took the key from web-1'],
    ['Making a database', 'Made a database'],
    ['Drift found on web-1', 'Drift found on web-1'],
  ])
    expect(said(event(description!, 'succeeded'))).toBe(past);
  for (const state of ['pending', 'running', 'failed', 'cancelled', undefined]) expect(said(event('Installing site shop', state))).toBe('Installing site shop');
});
