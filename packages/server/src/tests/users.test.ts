import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevServer } from '../node/index.ts'
import { usersContract, userTokens } from './users.suite.ts'

usersContract(async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-users-'))
  const server = await startDevServer({ port: 0, data, tokens: userTokens, log: () => {}, env: {}, tokenPaceMs: 0 })
  return {
    url: server.url,
    stop: async () => {
      await server.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
})
