// `npm run example:chat`: the page and the server behind it, as a person starts them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect, test, vi } from 'vitest'

test('a tab that is closed prints nothing', { timeout: 60_000 }, async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-example-'))
  const program = fileURLToPath(new URL('serve.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=bridle-source', program], {
    env: { ...process.env, BRIDLE_DATA: data },
  })
  try {
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += stripVTControlCharacters(text)
      })
    const url = await vi.waitFor(
      () => {
        const [found] = /http:\/\/localhost:\d+/.exec(printed) ?? []
        expect(found, printed).toBeDefined()
        return new URL(found as string)
      },
      { timeout: 40_000 },
    )
    const cut = async () => {
      const tab = connect(Number(url.port), url.hostname)
      const handshake = ['Cookie: user=ann', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
      const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
      tab.write(
        ['GET /ws?agent=notes&sessionId=first HTTP/1.1', `Host: ${url.host}`, ...handshake, key, '', ''].join('\r\n'),
      )
      expect(String((await once(tab, 'data'))[0])).toContain('101 Switching Protocols')
      tab.resetAndDestroy()
    }
    // The second tab is answered after the first one was cut.
    await cut()
    await cut()
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(printed).not.toContain('ws proxy')
  } finally {
    child.kill('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  }
})
