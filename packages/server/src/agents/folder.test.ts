import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { engineDescriptions } from '@bridle/runners/engine-table/descriptions'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, describe, expect, test } from 'vitest'
import { HarnessServer, type ServerOptions } from '../node/index.ts'
import { builtInNames } from './definition-problem.ts'
import { findAgents, watchAgents } from './folder.ts'

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const entry = new URL('../../../bridle/src/index.ts', import.meta.url).href
const source = (name: string, run = `() => 'from ${name}'`, durable = true) =>
  `import { agent } from '${entry}'\nexport default agent({ name: '${name}', durable: ${durable}, run: ${run} })\n`

const folder = (files: { readonly [file: string]: string } = {}): string => {
  const root = mkdtempSync(join(tmpdir(), 'bridle-agents-'))
  closing.push(() => rmSync(root, { recursive: true, force: true }))
  for (const [file, text] of Object.entries(files)) write(root, file, text)
  return root
}

let age = 0
const write = (root: string, file: string, text: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
  // Two writes within one tick of the file system's clock are two changes here.
  const time = new Date(Date.now() - 60_000 + ++age * 100)
  utimesSync(join(root, file), time, time)
}

const serve = async (root: string, more: ServerOptions = {}) => {
  const lines: string[] = []
  const data = mkdtempSync(join(tmpdir(), 'bridle-agents-data-'))
  const server = await HarnessServer.start({
    port: 0,
    data,
    agentsRoot: root,
    log: (level, message) => level === 'warn' && message !== 'request' && lines.push(message),
    ...more,
  })
  closing.push(async () => {
    await server.close()
    rmSync(data, { recursive: true, force: true })
  })
  return { url: server.url, lines }
}

/** A busy machine takes its time. */
const soon = <T>(look: () => T) => expect.poll(look, { timeout: 10_000, interval: 20 })
const ask = (url: string, name: string) => post(`${url}/agents/${name}/s-${++age}`, { prompt: 'hi' })
const ready = async (url: string) =>
  (await get(`${url}/ready`)).body.agents as { name: string; available: boolean; needs?: string }[]

describe('finding', () => {
  test('[N16] in both folders, and only files that may be agents', async () => {
    const root = folder({
      'agents/b.ts': source('second'),
      'agents/a.mjs': source('first'),
      'agents/c.js': source('third'),
      'agents/a.test.ts': 'throw new Error()',
      'agents/types.d.ts': 'throw new Error()',
      'agents/_part.ts': 'throw new Error()',
      'agents/notes.md': 'not code',
      'agents/deep/d.ts': source('deep'),
      '.fabricharness/agents/e.ts': source('fourth'),
    })
    const found = await findAgents(root)
    expect(found.map((each) => [each.file, 'definition' in each && each.definition.name])).toEqual([
      ['agents/a.mjs', 'first'],
      ['agents/b.ts', 'second'],
      ['agents/c.js', 'third'],
      ['.fabricharness/agents/e.ts', 'fourth'],
    ])
    expect(await findAgents(join(root, 'nowhere'))).toEqual([])
  })

  test.each<[string, string, RegExp]>([
    ['bad syntax', 'export default {', /^SyntaxError: .* \(agents\/odd name\.ts:1:17\)$/],
    ['a missing file', `import './gone.ts'`, /^it imports "\.\/gone\.ts", but there is no file agents\/gone\.ts\.$/],
    ['an error', `throw new Error('no key')`, /^Error: no key$/],
    ['nothing', 'export const a = 1', /^There is no default export/],
    ['a function', 'export default () => 1', /^The default export is a function, not an agent/],
    ['a bad definition', source('a/b'), /^TypeError: agent\(\): the name may have letters/],
  ])('[N16] %s is named with its problem', async (_name, text, problem) => {
    const root = folder({ 'agents/odd name.ts': text, 'agents/good.ts': source('good') })
    const [good, bad] = await findAgents(root)
    expect(good).toMatchObject({ definition: { name: 'good' } })
    expect(bad).toMatchObject({ file: 'agents/odd name.ts', name: 'odd-name', problem: expect.stringMatching(problem) })
    expect(JSON.stringify(bad)).not.toContain(root)
  })

  test('[N17] the second agent with a name is refused, and the problem names the first file', async () => {
    const root = folder({ 'agents/a.ts': source('twin'), 'agents/b.ts': source('twin') })
    expect(await findAgents(root)).toEqual([
      { file: 'agents/a.ts', definition: expect.objectContaining({ name: 'twin' }) },
      { file: 'agents/b.ts', name: 'b', problem: 'The name "twin" is taken by agents/a.ts.' },
    ])
  })

  test('[N18] a changed file is loaded again, an unchanged one is not', async () => {
    const root = folder({ 'agents/a.ts': source('a'), 'agents/b.ts': source('b') })
    const before = await findAgents(root)
    write(root, 'agents/a.ts', source('a', `() => 'changed'`))
    const after = await findAgents(root)
    const definition = (found: typeof before, index: number) => (found[index] as { definition?: unknown }).definition
    expect(definition(after, 0)).not.toBe(definition(before, 0))
    expect(definition(after, 1)).toBe(definition(before, 1))
  })
})

describe('serving', () => {
  test('[N16] a broken file is unavailable and says why; the others work', async () => {
    const { url, lines } = await serve(
      folder({ 'agents/good.ts': source('good'), 'agents/broken.ts': `throw new Error('no key')` }),
    )
    expect((await ask(url, 'good')).body.result).toBe('from good')
    const { status, body } = await ask(url, 'broken')
    expect([status, body.error]).toEqual([
      503,
      { type: 'unavailable', message: expect.stringContaining('agents/broken.ts: Error: no key') },
    ])
    expect((await ready(url)).map(({ name, available }) => [name, available])).toEqual([
      ['scripted', true],
      ...engineDescriptions.map(({ name }) => [name, false]),
      ['assistant', false],
      ['voice', false],
      ['good', true],
      ['broken', false],
    ])
    expect(lines).toEqual([
      `agent agents/broken.ts is not available: Error: no key
  agents/broken.ts:1:7
  > 1 | throw new Error('no key')
      |       ^`,
    ])
  })

  test('[N17] no file takes the name of a built-in agent or of one in the options', async () => {
    const given = agent({ name: 'given', run: () => 'the given one' })
    const root = folder({ 'agents/a.ts': source('scripted'), 'agents/b.ts': source('given') })
    const { url, lines } = await serve(root, { agents: [given] })
    expect((await ask(url, 'given')).body.result).toBe('the given one')
    expect(lines).toEqual([
      `agent agents/a.ts is not available: The name "scripted" is taken by an agent of the server. Choose another in this file, such as agent({ name: 'my-scripted', … }).`,
      `agent agents/b.ts is not available: The name "given" is taken by an agent of the server. Choose another in this file, such as agent({ name: 'my-given', … }).`,
    ])
    await expect(serve(root, { agents: [given, given] })).rejects.toMatchObject({
      code: 'agent_name_taken',
      message: 'There are two agents named "given". Rename one of them.',
    })
    await expect(serve(root, { agents: [(() => 1) as never] })).rejects.toMatchObject({
      code: 'agent_invalid',
      message: expect.stringMatching(/^An entry of agents is a function, not an agent/),
    })
  })

  test('[N17] the names that doctor takes for taken are those that a server refuses', async () => {
    const names = [...builtInNames, 'assistant', 'voice', 'mine']
    const root = folder(Object.fromEntries(names.map((name) => [`agents/${name}.ts`, source(name)])))
    const { lines } = await serve(root)
    expect(lines.map((line) => /^agent agents\/(.*)\.ts is not/.exec(line)?.[1]).sort()).toEqual(
      [...builtInNames].sort(),
    )
  })

  test('[N18] a change serves the runs that start afterwards; a running one keeps its definition', async () => {
    const slow = (answer: string) =>
      source(
        'live',
        `async ({ session }) => { await session.approval({ subject: 'go', reason: 'r' }); return '${answer}' }`,
        // A durable function that waits begins again, with the definition that there is then.
        false,
      )
    const root = folder({ 'agents/live.ts': slow('old') })
    const { url, lines } = await serve(root, { watchAgents: true })
    const waiting = async (id: string) => {
      const end = post(`${url}/agents/live/${id}`, { prompt: 'hi' })
      const pending = async () => (await get(`${url}/sessions/${id}`)).body.approvals as { id: string }[] | undefined
      await soon(pending).toHaveLength(1)
      return async () => {
        const [approval] = (await pending()) ?? []
        await post(`${url}/sessions/${id}/approvals/${approval?.id}/approve`, {})
        return (await end).body.result
      }
    }
    const first = await waiting('before')

    write(root, 'agents/live.ts', 'export default {')
    await soon(async () => (await ready(url)).find(({ name }) => name === 'live')?.available).toBe(false)
    expect(lines).toHaveLength(1)

    write(root, 'agents/live.ts', slow('new'))
    await soon(async () => (await ready(url)).find(({ name }) => name === 'live')?.available).toBe(true)
    expect(await (await waiting('after'))()).toBe('new')
    expect(await first()).toBe('old')

    rmSync(join(root, 'agents/live.ts'))
    await soon(async () => (await ready(url)).some(({ name }) => name === 'live')).toBe(false)
    expect((await ask(url, 'live')).status).toBe(404)
    expect((await get(`${url}/sessions/before`)).status).toBe(200)
  })

  test('[C102] a folder of another name is served and watched, alone', async () => {
    const root = folder({ 'bots/one.ts': source('one'), 'agents/two.ts': source('two') })
    const { url } = await serve(root, { agents: 'bots', watchAgents: true })
    expect([(await ask(url, 'one')).status, (await ask(url, 'two')).status]).toEqual([200, 404])
    write(root, 'bots/three.ts', source('three'))
    await soon(async () => (await ask(url, 'three')).status).toBe(200)
    rmSync(join(root, 'bots'), { recursive: true })
    await soon(async () => (await ask(url, 'one')).status).toBe(404)
    write(root, 'bots/four.ts', source('four'))
    await soon(async () => (await ask(url, 'four')).status).toBe(200)
    const [found] = await findAgents(root, join(root, 'bots'))
    expect(found).toMatchObject({ file: 'bots/four.ts' })
  })

  test('[N18] a folder that is made later is watched', async () => {
    const root = folder()
    let changes = 0
    const watcher = watchAgents(root, () => {
      changes += 1
    })
    closing.push(() => watcher.close())
    write(root, '.fabricharness/agents/a.ts', source('a'))
    await soon(() => changes).toBeGreaterThan(0)
    const seen = changes
    write(root, '.fabricharness/agents/a.ts', source('b'))
    await soon(() => changes).toBeGreaterThan(seen)
  })
})
