// `bridle export` and `bridle import` between two servers.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CliWorkspace, parseJsonRows, scriptOf } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })
let here: CliWorkspace
let there: CliWorkspace
beforeAll(async () => {
  here = new CliWorkspace()
  there = new CliWorkspace()
  await Promise.all([here.boot(), there.boot()])
})
afterAll(() => Promise.all([here.remove(), there.remove()]))

test('[X17] sessions move from one server to another in a file', async () => {
  for (const id of ['one', 'two']) await here.bridle(['run', 'scripted', scriptOf({ text: id }), '--id', id])
  const file = join(here.folder, 'one.jsonl')
  expect(await here.bridle(['export', 'one', '-o', file, '--text'])).toEqual({
    ...{ code: 0, stdout: expect.stringContaining('Written to'), stderr: '' },
  })
  const text = readFileSync(file, 'utf8')
  expect([text.endsWith('\n'), existsSync(`${file}.partial`)]).toEqual([true, false])
  expect(parseJsonRows((await there.bridle(['import', file, '--check'])).stdout)).toEqual([
    { id: 'one', agent: 'scripted', events: expect.any(Number) },
  ])
  expect((await there.bridle(['import', file, '--text'])).stdout).toMatch(/^one: \d+ events/)
  const again = join(there.folder, 'again.jsonl')
  await there.bridle(['export', 'one', '--no-branches', '-o', again])
  expect(readFileSync(again, 'utf8')).toBe(text)

  const all = (await here.bridle(['export', '--agent', 'scripted'])).stdout
  expect(all.match(/^\{"session":/gm)).toHaveLength(2)
  const damaged = join(here.folder, 'damaged.jsonl')
  writeFileSync(damaged, text.replace('"text":"one"', '"text":"six"'))
  const refused = await there.bridle(['import', damaged])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/Line \d+: The digest does not match/)])
  expect(await there.bridle(['import', join(here.folder, 'nothing')])).toMatchObject({ code: 2 })
  expect(await here.bridle(['export', 'nobody'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no session'),
  })
})

test('[C286] export names the commands that read the file; import names its own flag where an id is taken', async () => {
  for (const each of [here, there]) {
    const said = `said by ${each === here ? 'here' : 'there'}`
    await each.bridle(['run', 'scripted', scriptOf({ text: said }), '--id', 'both'])
  }
  const file = join(here.folder, 'both.jsonl')
  const { stdout } = await here.bridle(['export', 'both', '-o', file, '--text'])
  expect(stdout).toContain(`\n  bridle replay ${file}\n  bridle import ${file}`)
  // Where the file has branches, too, as much of the id as tells it from theirs.
  const long = 'scripted-3c1c5d2a-95a1-4f4e-8d3a-0a8f3f7c2b1e'
  await here.bridle(['run', 'scripted', scriptOf({ text: 'trunk' }), '--id', long])
  for (const id of ['other', 'scripted-3c1c5d2b']) await here.bridle(['branch', long, '--id', id])
  const tree = join(here.folder, 'tree.jsonl')
  const exported = await here.bridle(['export', long, '-o', tree, '--text'])
  const [, words = ''] = /\n {2}bridle (replay .*)\n/.exec(exported.stdout) ?? []
  expect(words).toBe(`replay ${tree} --session scripted-3c1c5d2a-95`)
  expect(parseJsonRows((await here.bridle(words.split(' '))).stdout)).toMatchObject([{ session: { id: long } }])
  const { code, stderr } = await there.bridle(['import', file])
  expect([code, stderr]).toEqual([
    1,
    `bridle: Line 2: There is another session "both" here, or there was one. To give this one another id:\n  bridle import ${file} --rename\n`,
  ])
  expect((await there.bridle(['import', file, '--rename', '--text'])).stdout).toMatch(/, was both$/)
  // The very session of the file is no other one, so nothing is in its way.
  expect((await here.bridle(['import', file, '--text'])).stdout).toBe('both: is here already')
  expect(await here.bridle(['import', file, '--rename', '--text'])).toEqual({
    ...{ code: 0, stdout: 'both: is here already' },
    stderr:
      'A session that is here with the same events is not copied. To try something else in a copy: bridle branch both\n',
  })
})

test('[C341] a file that does not begin as an export is named as no export', async () => {
  writeFileSync(join(here.folder, 'README.md'), '# Read me\n')
  writeFileSync(join(here.folder, 'rows.json'), '{"id":1}\n')
  writeFileSync(join(here.folder, 'empty'), '')
  const files = ['README.md', 'rows.json', 'empty']
  const verbs = [...files.map((file) => ['import', file]), ['replay', 'README.md'], ['import', '-']]
  for (const [verb = '', file = ''] of verbs)
    expect(await here.bridle([verb, file], { input: 'Hello' })).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: `bridle: ${file === '-' ? 'The input' : file} is no export of a session. Choose a file that bridle export wrote.\n`,
    })
})
