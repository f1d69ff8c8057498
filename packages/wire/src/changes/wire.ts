// The messages of the stream over a tenant's sessions and approvals, as a client meets them. Types only.
export type * from './wire/changes.ts'

/** Messages that keep the connection alive, and tell how far the client has read. */
export type ChangesSignal =
  | { readonly type: 'pong'; readonly ts: number }
  | { readonly type: 'mark'; readonly seq: number }
  | { readonly type: 'error'; readonly message: string }

export type ChangesClientMessage = { readonly type: 'ping' } | { readonly type: 'seen'; readonly seq: number }
