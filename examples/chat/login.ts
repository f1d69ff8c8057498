// The user of a request: the name in a cookie, which the page sets itself. An app of yours asks its own login here.
import type { ServerOptions } from 'bridle/node'

export const authenticate: NonNullable<ServerOptions['authenticate']> = (request) => {
  const name = /(?:^|;\s*)user=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1]
  return name === undefined ? null : { user: decodeURIComponent(name) }
}
