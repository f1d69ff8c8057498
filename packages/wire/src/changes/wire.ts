export type * from './wire/changes.ts'

export type ChangesSignal =
  | { readonly type: 'pong'; readonly ts: number }
  | { readonly type: 'mark'; readonly seq: number }
  | { readonly type: 'error'; readonly message: string }

export type ChangesClientMessage = { readonly type: 'ping' } | { readonly type: 'seen'; readonly seq: number }
