import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf, script } from '@bridle/surfaces/openharness/engine.suite'
import { expect, test } from 'vitest'
import { HarnessServer } from './index.ts'

test('[OH100] [OH101] a server fetches from no host by default, and from no private address at all', async () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-fetch-'))
  let requests = 0
  const target = createServer((_, response) => {
    requests += 1
    response.end('private')
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const { port } = target.address() as AddressInfo
  const uris = [`http://127.0.0.1:${port}/a`, `http://[::ffff:127.0.0.1]:${port}/b`, `http://0x7f.1:${port}/c`]
  const statuses = async (fetch: readonly string[]) => {
    const server = await HarnessServer.start({
      ...{ port: 0, data, store: 'memory', log: () => {} },
      openharness: { fetch },
    })
    try {
      const answers = uris.map((uri) =>
        globalThis.fetch(`${server.url}/v1/openharness`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(messageOf({ user_intent: script({ text: 'Fine.' }), attachments: [{ uri }] })),
        }),
      )
      return (await Promise.all(answers)).map(({ status }) => status)
    } finally {
      await server.close()
    }
  }
  try {
    expect(await statuses([])).toEqual([200, 200, 200])
    expect(await statuses([`http://127.0.0.1:${port}`, `http://[::ffff:127.0.0.1]:${port}`])).toEqual([400, 400, 400])
    expect(requests).toBe(0)
    await expect(statuses(['*'])).rejects.toMatchObject({ code: 'fetch_invalid' })
  } finally {
    target.close()
    rmSync(data, { recursive: true, force: true })
  }
})
