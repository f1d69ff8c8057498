// Voice on a server on Node.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HarnessServer } from '../node/index.ts'
import { voiceContract } from '../tests/voice.suite.ts'

voiceContract(async (env) => {
  const root = mkdtempSync(join(tmpdir(), 'bridle-voice-'))
  const lines: string[] = []
  const server = await HarnessServer.start({
    ...{ port: 0, store: 'memory', data: join(root, 'data'), agentsRoot: root, tokenPaceMs: 0, env },
    log: (level, line, fields) => void lines.push(JSON.stringify([level, line, fields])),
  })
  const stop = async () => {
    await server.close()
    rmSync(root, { recursive: true, force: true })
  }
  return { url: server.url, lines, stop }
})
