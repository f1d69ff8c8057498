// Adds `startDevServer`, so that the import in the Fabric document works with an npm alias of this package. The server is
// imported lazily, because most programs that define agents never start one.
import type { HarnessServer, ServerOptions } from '@bridle/server/node/index'

export type { HarnessServer, ServerOptions } from '@bridle/server/node/index'
export * from './index.ts'

/** Starts a server. Same as `HarnessServer.start` of `bridle/node`, under the name in the Fabric document. */
export const startDevServer = async (options?: ServerOptions): Promise<HarnessServer> =>
  (await import('@bridle/server/node/index')).startDevServer(options)
