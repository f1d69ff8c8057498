// `bridle dev` in a workspace with an agent of its own.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CliWorkspace, parseJsonRows, scriptOf } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
let work: CliWorkspace
beforeAll(() => {
  work = new CliWorkspace()
  mkdirSync(join(work.folder, 'agents'))
})
afterAll(() => work.remove())

const entry = new URL('../../../bridle/src/index.ts', import.meta.url).href
const write = (name: string, answer: string): void =>
  writeFileSync(
    join(work.folder, 'agents', `${name}.ts`),
    `import { agent } from '${entry}'\nexport default agent({ name: '${name}', run: () => '${answer}' })\n`,
  )

test('[C14] without a server doctor looks at the files', async () => {
  write('greeter', 'hello')
  writeFileSync(join(work.folder, 'agents', 'broken.ts'), `throw new Error('no key')`)
  const { code, stdout } = await work.bridle(['doctor'], { env: await work.unnamed() })
  expect(code).toBe(1)
  expect(parseJsonRows(stdout).filter(({ check }) => String(check).startsWith('agent '))).toEqual([
    { check: 'agent broken', state: 'wrong', detail: 'agents/broken.ts: Error: no key' },
    { check: 'agent greeter', state: 'ok', detail: 'agents/greeter.ts' },
    { check: 'agent assistant', state: 'note', detail: expect.stringContaining('Set BRIDLE_MODEL=') },
  ])
})

test('[C14] beside a server that serves the folder, a broken file is wrong too, and is told once', async () => {
  const served = new CliWorkspace()
  mkdirSync(join(served.folder, 'agents'))
  writeFileSync(join(served.folder, 'agents', 'broken.ts'), `throw new Error('no key')`)
  await served.boot()
  const { code, stdout } = await served.bridle(['doctor', '--data', 'data']).finally(() => served.remove())
  expect(parseJsonRows(stdout).filter(({ check }) => check === 'agent broken')).toEqual([
    { check: 'agent broken', state: 'wrong', detail: 'agents/broken.ts: Error: no key' },
  ])
  expect(code).toBe(1)
})

describe('[C15] dev', () => {
  test('[O4] serves agents/, takes up a change, and ends by Ctrl+C, after the runs that end in time', async () => {
    write('greeter', 'hello')
    writeFileSync(join(work.folder, 'agents', 'broken.ts'), `const a = 1\nconst a: number = 2\n`)
    write('claude', 'not the engine')
    const dev = work.start(['dev', '--target', 'node', '--port', '0', '--data', 'data'])
    const ready = await dev.until((line) => line.includes('ready at'))
    work.url = ready.split(' ').at(-1) ?? ''
    await dev.until((line) => line.includes('agents/ is watched'))
    const banner = dev.lines.join('\n')
    expect(banner).toContain(`cockpit   ${work.url}`)
    expect(banner).toContain(`docs      ${work.url}/docs`)
    expect(banner).toContain('agents    greeter, scripted')
    // Only the compiler finds this one, and it does not say where.
    expect(banner).toMatch(/agents\/broken\.ts is not available: SyntaxError: .*\(agents\/broken\.ts:2:7\)/s)
    expect(banner).toContain('> 2 | const a: number = 2')
    expect(banner).toContain('✗ agents/claude.ts is not available: The name "claude" is taken by an agent of')
    const ask = async () => parseJsonRows((await work.bridle(['run', 'greeter', 'hi'])).stdout).at(-1)?.result
    expect(await ask()).toBe('hello')

    write('greeter', 'good day')
    // [C120] The line comes when the new version is there.
    await dev.until((line) => line.includes('agents/greeter.ts changed'))
    expect(await ask()).toBe('good day')

    // [C121] A line per run; what an agent throws has its place in the source.
    await dev.until((line) => /✓ greeter {2}greeter-\S+ {2}completed in \d/.test(line))
    writeFileSync(
      join(work.folder, 'agents', 'broken.ts'),
      `import { agent } from '${entry}'
const first = (list: { name: string }[]): string => list[0].name
export default agent({ name: 'broken', run: async ({ session }) => session.step('look', async () => first([])) })`,
    )
    await dev.until((line) => line.includes('agents/broken.ts works now: agent broken'))
    const failed = await work.bridle(['run', 'broken', 'hi', '--id', 'b-1'])
    expect([failed.code, failed.stdout]).toEqual([1, expect.not.stringContaining('broken.ts')])
    await dev.until((line) => line.includes('✗ broken  b-1  failed: Cannot read'))
    const shown = dev.lines.join('\n')
    expect(shown).toMatch(/✗ broken threw, session b-1, run r-\d+\n {2}TypeError: Cannot read .*'name'/)
    expect(shown).toContain('    at first (agents/broken.ts:2:61)')
    expect(shown).toContain('  > 2 | const first = (list: { name: string }[]): string => list[0].name')
    expect(shown).not.toMatch(/node:internal|packages\/bridle\/src\/(agents|runners)/)

    const { stdout } = await work.bridle(['doctor', '--data', 'data'])
    expect(parseJsonRows(stdout)).toContainEqual(expect.objectContaining({ check: 'agent broken', state: 'ok' }))
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
