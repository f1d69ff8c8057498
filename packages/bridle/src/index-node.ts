// The main entry on Node: all of index.ts, and the server under the name by which the Fabric document imports it, so that an npm
// alias of this package serves that import. The server is loaded when it is started: most programs that define agents start none.
import type { HarnessServer, ServerOptions } from '@bridle/server/node/index'

export type { HarnessServer, ServerOptions } from '@bridle/server/node/index'
export * from './index.ts'

/** Starts a server. The same as `HarnessServer.start` of `bridle/node`, by the name that the Fabric document uses. */
export const startDevServer = async (options?: ServerOptions): Promise<HarnessServer> =>
  (await import('@bridle/server/node/index')).startDevServer(options)
