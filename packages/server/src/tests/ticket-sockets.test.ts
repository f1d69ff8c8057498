// Tickets on the sockets of a server on Node.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { HarnessServer } from '../node/index.ts'
import { ticketOptions, ticketSockets } from './ticket-sockets.suite.ts'

describe('on Node', () => {
  let folder: string
  let server: HarnessServer

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bridle-tickets-'))
    server = await HarnessServer.start({ ...ticketOptions, port: 0, data: folder, log: () => {} })
  })
  afterAll(async () => {
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  ticketSockets(() => server.url)
})
