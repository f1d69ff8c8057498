// `bridle dev` in a workspace with an agent of its own.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CliWorkspace, freePort, parseJsonRows, scriptOf } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
let work: CliWorkspace
beforeAll(() => {
  work = new CliWorkspace()
  mkdirSync(join(work.folder, 'agents'))
})
afterAll(() => work.remove())

const entry = new URL('../../index.ts', import.meta.url).href
const write = (name: string, answer: string): void =>
  writeFileSync(
    join(work.folder, 'agents', `${name}.ts`),
    `import { agent } from '${entry}'\nexport default agent({ name: '${name}', run: () => '${answer}' })\n`,
  )

test('[C14] without a server doctor looks at the files', async () => {
  write('greeter', 'hello')
  writeFileSync(join(work.folder, 'agents', 'broken.ts'), `throw new Error('no key')`)
  const { code, stdout } = await work.bridle(['doctor', '--url', `http://127.0.0.1:${await freePort()}`])
  expect(code).toBe(1)
  expect(parseJsonRows(stdout).filter(({ check }) => String(check).startsWith('agent '))).toEqual([
    { check: 'agent broken', state: 'wrong', detail: 'agents/broken.ts: Error: no key' },
    { check: 'agent greeter', state: 'ok', detail: 'agents/greeter.ts' },
    { check: 'agent assistant', state: 'note', detail: expect.stringContaining('Set BRIDLE_MODEL=') },
  ])
})

describe('[C15] dev', () => {
  test('[O4] serves agents/, takes up a change, and ends by Ctrl+C, after the runs that end in time', async () => {
    write('greeter', 'hello')
    const dev = work.start(['dev', '--target', 'node', '--port', '0', '--data', 'data'])
    const ready = await dev.until((line) => line.includes('ready at'))
    work.url = ready.split(' ').at(-1) ?? ''
    const ask = async () => parseJsonRows((await work.bridle(['run', 'greeter', 'hi'])).stdout).at(-1)?.result
    expect(await ask()).toBe('hello')

    write('greeter', 'good day')
    await dev.until((line) => line.startsWith('agents/ changed'))
    while ((await ask()) !== 'good day');

    const { stdout } = await work.bridle(['doctor', '--data', 'data'])
    expect(parseJsonRows(stdout)).toContainEqual(expect.objectContaining({ check: 'agent broken', state: 'note' }))
    // [O4] A running run has the same grace as with start.
    const watched = await fetch(`${work.url}/agents/scripted/grace/stream`)
    const prompt = scriptOf({ sleepMs: 500 }, { text: 'in time' })
    const headers = { prefer: 'respond-async' }
    await fetch(`${work.url}/agents/scripted/grace`, { method: 'POST', body: JSON.stringify({ prompt }), headers })
    dev.process.kill('SIGINT')
    expect(await watched.text()).toContain('"result":"in time"')
    expect((await dev.ended).code).toBe(0)
  })
})
