import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevServer } from '../node/index.ts'
import { routeAccessContract, walkOptions } from './route-walk.suite.ts'

routeAccessContract(async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-walk-'))
  const server = await startDevServer({ port: 0, data, ...walkOptions, log: () => {}, env: {}, tokenPaceMs: 0 })
  return {
    url: server.url,
    stop: async () => {
      await server.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
})
