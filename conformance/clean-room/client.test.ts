// Our transport with clients that were written from its document alone.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HarnessClient } from '@bridle/client/harness/client'
import { evict, startTestWorker } from '@bridle/server/cloudflare/tests/test-worker.suite'
import { noTools } from '@bridle/server/cloudflare/tests/workerd.suite'
import { HarnessServer } from '@bridle/server/node/index'
import { scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CleanClient, connect } from './client.ts'

/** A busy machine takes its time. */
const polled = <T>(look: () => T) => expect.poll(look, { timeout: 10_000, interval: 10 })

interface TargetServer {
  readonly url: string
  /** Lets the session sleep, where it can. */
  sleep(id: string): Promise<void>
  end(): Promise<void>
}

const targets: { readonly [name: string]: () => Promise<TargetServer> } = {
  node: async () => {
    const data = mkdtempSync(join(tmpdir(), 'bridle-clean-client-'))
    const server = await HarnessServer.start({ port: 0, data, tokenPaceMs: 0, env: {}, log: () => {} })
    const end = async () => {
      await server.close()
      rmSync(data, { recursive: true, force: true })
    }
    return { url: server.url, sleep: async () => {}, end }
  },
  cloudflare: async () => {
    const world = await startTestWorker()
    return { url: world.url, sleep: (id) => evict(world, id), end: () => world.dispose() }
  },
}

describe.each(Object.keys(targets))('%s', (name) => {
  describe.skipIf(name === 'cloudflare' && noTools)('clients of the document', () => {
    let served: TargetServer
    beforeAll(async () => {
      served = (await targets[name]?.()) as TargetServer
    })
    afterAll(() => served?.end())
    const three = (id: string) =>
      Promise.all([1, 2, 3].map(() => connect(`${served.url}/ws?sessionId=${id}&agent=scripted`)))
    const contents = ({ state }: CleanClient) => state?.messages.map(({ content }) => content)
    const answer = ({ state }: CleanClient) => state?.messages.findLast(({ role }) => role === 'assistant')

    test('[T3] [T25] three on one session, turn by turn, see the same, and each is told once that an approval waits', async () => {
      const clients = await three('shared')
      const [first, second, third] = clients as [CleanClient, CleanClient, CleanClient]
      const ours = new HarnessClient({ url: `${served.url.replace(/^http/, 'ws')}/ws?sessionId=shared&agent=scripted` })
      const hello = scriptBody({ text: 'Hello', chunks: 5 }).prompt
      first.submit(hello)
      for (const client of clients) await polled(() => contents(client)).toEqual([hello, 'Hello'])
      const write = scriptBody(
        { approve: 'write_file', id: 'w', args: { a: 1 }, reason: 'asks' },
        { text: 'written' },
      ).prompt
      second.submit(write)
      for (const client of clients) await polled(() => client.errors).toHaveLength(1)
      const told = new Set(clients.flatMap(({ errors }) => errors))
      expect([...told]).toEqual([
        expect.stringMatching(/^write_file waits for an approval\. .*POST \/sessions\/shared\/approvals\/\S+\/approve/),
      ])
      await polled(() => ours.getSnapshot().approvals).toHaveLength(1)
      // Asleep and awake again, or with another message in between, nobody is told twice.
      await served.sleep('shared')
      const late = await connect(`${served.url}/ws?sessionId=shared`)
      await polled(() => late.errors).toEqual([...told])
      const [, path] = /POST (\S+)/.exec(first.errors[0] ?? '') ?? []
      const approved = await fetch(`${served.url}${path}`, { method: 'POST', body: '{}' })
      expect(approved.status).toBe(200)
      for (const client of [...clients, late]) {
        await polled(() => client.state?.status).toBe('idle')
        expect(answer(client)).toMatchObject({ content: 'written', status: 'complete' })
        expect(answer(client)?.toolCalls).toMatchObject([{ name: 'write_file', status: 'complete' }])
        expect([client.isOpen, client.errors.length]).toEqual([true, 1])
        expect(client.state).toEqual(first.state)
      }
      expect(ours.getSnapshot().messages).toHaveLength(4)
      expect(ours.connection.error).toBeUndefined()
      third.submit(scriptBody({ text: 'on' }, { sleepMs: 60_000 }).prompt)
      await polled(() => answer(first)?.content).toBe('on')
      first.cancel()
      for (const client of clients) await polled(() => client.state?.status).toBe('idle')
      ours.close()
      for (const client of [...clients, late]) client.close()
    })

    test('[T25] a client that answers approvals, or says that it knows them, is told nothing', async () => {
      const url = `${served.url.replace(/^http/, 'ws')}/ws?sessionId=knowing&agent=scripted`
      const bare = await connect(url)
      const knowing = await connect(`${url}&approvals=1`)
      const approving = new WebSocket(url)
      const heard: { type: string }[] = []
      approving.onmessage = ({ data }) => heard.push(JSON.parse(String(data)))
      await polled(() => heard.length).toBe(1)
      const nobody = { type: 'approve', approvalId: 'nobody', decision: 'denied', commandId: 'c-1' }
      approving.send(JSON.stringify({ type: 'commands', commands: [nobody] }))
      await polled(() => heard.map(({ type }) => type)).toContain('ack')
      bare.submit(scriptBody({ approve: 'one', id: 'a', args: {}, reason: 'asks' }, { text: 'x' }).prompt)
      await polled(() => bare.errors).toHaveLength(1)
      await polled(() => answer(knowing)?.toolCalls).toHaveLength(1)
      expect([knowing.errors, heard.filter(({ type }) => type === 'error')]).toEqual([[], []])
      for (const client of [bare, knowing, approving]) client.close()
    })
  })
})
