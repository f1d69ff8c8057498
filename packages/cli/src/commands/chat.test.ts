// `bridle chat` without a terminal, in real processes.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CliWorkspace, parseJsonRows, scriptOf } from '../cli.suite.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
let work: CliWorkspace
beforeAll(async () => {
  work = new CliWorkspace()
  await work.boot()
})
afterAll(() => work.remove())

describe('in a pipe', () => {
  test('[C200] each line is a prompt, and the answers are plain text without control characters', async () => {
    const input = [
      scriptOf({ text: 'One\u001b[31m.' }, { tool: 'read', args: {}, result: 1 }),
      '',
      scriptOf({ text: 'Two.' }, { fail: 'It broke.' }),
      scriptOf({ text: 'Three.' }),
    ].join('\n')
    const { code, stdout, stderr } = await work.bridle(['chat', 'scripted', '--id', 'piped'], { input })
    expect(stdout).toBe('One␛[31m.\nTwo.\nThree.')
    expect(stderr).toContain('✗ It broke.')
    expect(code).toBe(1)
    const again = await work.bridle(['chat', 'scripted', '--continue'], { input: scriptOf({ text: 'Four.' }) })
    expect([again.code, again.stdout]).toEqual([0, 'Four.'])
    const exported = await work.bridle(['export', 'piped'])
    expect(exported.stdout.split('Four.').length).toBeGreaterThan(1)
  })

  test('[C200] with --json the lines are events, and an outcome after each prompt', async () => {
    const input = [scriptOf({ text: 'A' }), scriptOf({ text: 'B' })].join('\n')
    const { code, stdout, stderr } = await work.bridle(['chat', 'scripted', '--json'], { input })
    const rows = parseJsonRows(stdout)
    expect([code, stderr]).toEqual([0, ''])
    expect(rows.filter(({ type }) => type === 'outcome').map(({ status, result }) => [status, result])).toEqual([
      ['completed', 'A'],
      ['completed', 'B'],
    ])
    expect(rows.filter(({ type }) => type === 'text_delta').map(({ data }) => data.delta)).toEqual(['A', 'B'])
  })

  test.each([
    [
      'an agent that is not there',
      ['chat', 'nobody'],
      1,
      /^bridle: There is no agent nobody; there (is|are) .*scripted/,
    ],
    [
      'a session that is not there',
      ['chat', '--id', 'nothing'],
      1,
      /^bridle: There is no session nothing on the server at/,
    ],
    [
      'a folder that is not there',
      ['chat', 'scripted', '--workspace', 'nowhere'],
      2,
      /there is no folder \S*nowhere\.$/m,
    ],
    ['a mode without a folder', ['chat', 'scripted', '--workspace-mode', 'write'], 2, /needs --workspace FOLDER/],
    ['two sessions', ['chat', 'scripted', '--id', 'a', '--continue'], 2, /^bridle: Give --id or --continue, not both/],
  ])('[C190] %s is reported in a line', async (_name, args, code, message) => {
    const ended = await work.bridle(args, { input: 'Hi\n' })
    expect([ended.code, ended.stdout]).toEqual([code, ''])
    expect(ended.stderr).toMatch(message)
    expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  })

  test('[C190] without input no session is left behind', async () => {
    const before = parseJsonRows((await work.bridle(['sessions'])).stdout).length
    expect(await work.bridle(['chat', 'scripted'])).toMatchObject({ code: 0, stdout: '' })
    expect(parseJsonRows((await work.bridle(['sessions'])).stdout)).toHaveLength(before)
  })
})
