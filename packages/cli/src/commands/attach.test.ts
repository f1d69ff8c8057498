// `bridle attach`, and the verbs around it, against a server that is killed under them.

import { post, readFrames } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CliWorkspace, hasType, type JsonRow, parseJsonRows, scriptOf } from '../cli.suite.ts'

const token = 'a-secret-that-nobody-prints'
// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
let work: CliWorkspace
beforeAll(async () => {
  work = new CliWorkspace({ FH_AUTH_TOKEN: token })
  await work.boot()
})
afterAll(() => work.remove())

const authorization = { authorization: `Bearer ${token}` }
/** The log of a session, read without the command. */
const log = async (id: string, last: string): Promise<unknown[]> =>
  (await readFrames(`${work.url}/sessions/${id}/events`, (seen) => seen.at(-1)?.data.id === last, authorization)).map(
    ({ data }) => data,
  )

describe('[C11] attach', () => {
  test('shows everything, the last N, no earlier events, or the events after a cursor', async () => {
    await work.bridle(['run', 'scripted', scriptOf({ text: 'one' }), '--id', 'story'])
    const all = work.start(['attach', 'story'])
    await all.until(hasType('idle'))
    const told = parseJsonRows(all.lines.join('\n'))
    expect(told.map(({ type }) => type)).toEqual(['prompt_start', 'text_delta', 'result', 'idle'])

    const last = work.start(['attach', 'story', '--replay', '2'])
    await last.until(hasType('idle'))
    expect(parseJsonRows(last.lines.join('\n'))).toEqual(told.slice(-2))
    const after = work.start(['attach', 'story', '--after', String(told[0]?.id)])
    await after.until(hasType('idle'))
    expect(parseJsonRows(after.lines.join('\n'))).toEqual(told.slice(1))
  })

  test('[C352] says that a run is completed, and again after the next', async () => {
    await work.bridle(['run', 'scripted', scriptOf({ text: 'one' }), '--id', 'ends'])
    const watcher = work.start(['attach', 'ends', '--text'])
    const ends = () => watcher.lines.filter((line) => line === '✓ completed').length
    await watcher.until(() => ends() === 1)
    await work.bridle(['run', 'scripted', scriptOf({ text: 'two' }), '--id', 'ends'])
    await watcher.until(() => ends() === 2)
    expect(watcher.lines.at(-2)).toBe('two')
    const replayed = await work.bridle(['replay', 'ends', '--text'])
    expect(replayed.stdout).not.toContain('completed')
  })

  test('with --agent it waits for a session that does not exist yet; without, that is an error', async () => {
    const early = work.start(['attach', 'early', '--agent', 'scripted'])
    const nobody = await work.bridle(['attach', 'early'])
    expect([nobody.code, nobody.stderr]).toEqual([
      1,
      `bridle: There is no session early on the server at ${work.url}. Try bridle sessions, or name another server with --url.\n`,
    ])
    await work.bridle(['run', 'scripted', scriptOf({ text: 'at last' }), '--id', 'early'])
    await early.until(hasType('idle'))
  })

  test('Ctrl+C detaches and says so; the run continues', async () => {
    const run = work.start(['run', 'scripted', scriptOf({ text: 'a' }, { approve: 'go', args: {} }), '--id', 'watched'])
    await run.until(hasType('approval_requested'))
    const watcher = work.start(['attach', 'watched', '--text', '--url', work.url])
    const hint = await watcher.until((line) => line.includes('bridle approve watched'))
    watcher.process.kill('SIGINT')
    expect(await watcher.ended).toEqual({
      code: 0,
      stdout: expect.stringContaining('› @script'),
      stderr: `Detached from watched; nothing was stopped.\nCome back with\n  bridle attach watched --url ${work.url}\n`,
    })
    expect((await work.bridle(hint.trim().split(' ').slice(1))).code).toBe(0)
    expect((await run.ended).code).toBe(0)
  })

  test('resumes at its cursor after kill -9: nothing lost, nothing repeated', async () => {
    const watcher = work.start(['attach', 'cut', '--agent', 'scripted'])
    for (const round of [1, 2, 3]) {
      const steps = scriptOf({ text: 'x'.repeat(400), chunks: 200, everyMs: 2 })
      const run = work.start(['run', 'scripted', steps, '--id', 'cut'])
      const deltas = () => watcher.lines.filter(hasType('text_delta')).length
      const before = deltas()
      await watcher.until(() => deltas() > before + round * 5)
      await work.kill()
      await work.boot()
      // The run that died with its process ends with one error; the follower of the run gets it too.
      const outcome = parseJsonRows((await run.ended).stdout).at(-1) as JsonRow
      expect(outcome).toMatchObject({ type: 'outcome', status: 'failed', error: { reason: 'interrupted' } })
      await watcher.until(() => watcher.lines.filter(hasType('idle')).length === round)
    }
    const seen = parseJsonRows(watcher.lines.join('\n'))
    expect(seen).toEqual(await log('cut', String(seen.at(-1)?.id)))
  })
})

describe('[C12] sessions', () => {
  test('lists, filters and pages', async () => {
    for (const id of ['s1', 's2', 's3']) await work.bridle(['run', 'scripted', scriptOf({ text: id }), '--id', id])
    const all = await work.bridle(['sessions', '--all', '--limit', '2'])
    expect([all.code, all.stderr]).toEqual([0, ''])
    expect(
      parseJsonRows(all.stdout)
        .slice(-3)
        .map(({ id }) => id),
    ).toEqual(['s1', 's2', 's3'])
    // How to go on is a remark on the error stream, for programs too.
    const page = await work.start(['sessions', '--limit', '1']).ended
    const cursor = /--cursor (\S+),/.exec(page.stderr)?.[1] ?? ''
    expect(parseJsonRows((await work.bridle(['sessions', '--limit', '1', '--cursor', cursor])).stdout)[0]?.id).toBe(
      's2',
    )
    expect((await work.bridle(['sessions', '--agent', 'nobody'])).stdout).toBe('')
    expect((await work.bridle(['sessions', '--status', 'dancing'])).code).toBe(2)
  })

  test('a table for people', async () => {
    const { stdout } = await work.bridle(['sessions', '--text', '--limit', '1'])
    const [head, row] = stdout.split('\n')
    expect(head?.split(/ +/)).toEqual(['ID', 'AGENT', 'STATUS', 'UPDATED', 'TITLE'])
    expect(row).toMatch(/^s3 +scripted +idle +(?:just now|\d+ \w+ ago) +@script /)
    expect((await work.bridle(['sessions', '--text', '--agent', 'assistant'])).stderr).toBe('No sessions.\n')
  })

  test('[C3] nothing of a table is cut in a pipe', async () => {
    const id = `piped-${'0123456789'.repeat(6)}`
    const words = 'one two three four five six seven eight nine ten'
    await work.bridle(['run', 'scripted', words, '--id', id])
    const { stdout } = await work.bridle(['sessions', '--text', '--search', id])
    expect(stdout.split('\n')[1]).toMatch(new RegExp(`^${id} .* ${words}$`))
    const { stdout: log } = await work.bridle(['logs', id, '--text'])
    for (const line of log.split('\n')) expect(line).not.toContain('…')
  })
})

describe('[C13] approvals', () => {
  test('are listed and answered from another process, also with other arguments', async () => {
    const script = scriptOf(
      { approve: 'write', args: { p: 1 }, reason: 'sure?' },
      { approve: 'erase', args: { path: `${'x'.repeat(20_000)}\u001b[2Jend` }, reason: 'because' },
    )
    const run = work.start(['run', 'scripted', script, '--id', 'asks'])
    await run.until(hasType('approval_requested'))
    const [open] = parseJsonRows((await work.bridle(['approvals'])).stdout)
    expect(open).toMatchObject({
      ...{ sessionId: 'asks', agent: 'scripted', toolName: 'write', reason: 'sure?' },
      ...{ args: { p: 1 }, title: expect.stringMatching(/^@script /) },
    })
    const first = String(open?.id)
    expect((await work.bridle(['approvals', '--text'])).stdout).toMatch(
      new RegExp(`asks +${first} +scripted +write .*@script .*\n    sure\\?\n    \\{\n      "p": 1\n    \\}$`),
    )

    const edited = ['--args', '{"p":2}', '--actor', 'me', '--reason', 'fine']
    const approved = await work.bridle(['approve', 'asks', first, '--text', ...edited])
    expect([approved.code, approved.stdout]).toEqual([0, `Approved ${first} of asks.`])
    await run.until((line) => hasType('approval_requested')(line) && line.includes('erase'))
    const [second] = parseJsonRows((await work.bridle(['approvals'])).stdout)
    // Longer than a row of the list holds, and shown to the last character all the same.
    const { stdout: shown } = await work.bridle(['approvals', '--text'])
    expect(shown.replaceAll(/\n {2}… /g, '')).toContain(`"path": "${'x'.repeat(20_000)}\\u001b[2Jend"`)
    const rejected = await work.bridle(['reject', 'asks', String(second?.id), '--reason', 'no'])
    expect(parseJsonRows(rejected.stdout)).toMatchObject([{ sessionId: 'asks', approvalId: second?.id, ok: true }])

    const { code, stdout } = await run.ended
    expect(code).toBe(0)
    const ends = parseJsonRows(stdout).filter(({ type }) => type === 'tool_end')
    expect(ends.map(({ data }) => [data.toolName, data.isError])).toEqual([
      ['write', false],
      ['erase', true],
    ])
    expect(ends[0]?.data.result).toEqual({ arguments: { p: 2 } })
    expect((await work.bridle(['approvals', '--text'])).stderr).toBe('Nothing waits.\n')
    const late = await work.bridle(['reject', 'asks', first])
    expect([late.code, late.stdout]).toEqual([1, ''])
  })

  test('[S77] of a sub-agent are shown on the session above it, and answered there', async () => {
    await work.bridle(['run', 'scripted', 'hello', '--id', 'above'])
    const prompt = scriptOf({ approve: 'send', args: { to: 'ann' } }, { text: 'done' })
    const body = { engine: 'scripted', session_id: 'below', parent_session_id: 'above', prompt }
    expect((await post(`${work.url}/sessions`, body, authorization)).status).toBe(202)
    const watch = work.start(['attach', 'above', '--text'])
    await watch.until((line) => line.includes('bridle reject above below:apr-'))
    const stdout = watch.lines.join('\n')
    expect(stdout).toContain('Asked by scripted, session below')
    const [, id = ''] = /approve above (below:apr-\d+)/.exec(stdout) ?? []
    expect(await work.bridle(['approve', 'above', id, '--text'])).toMatchObject({ stdout: `Approved ${id} of above.` })
    const again = work.start(['attach', 'above', '--text'])
    await again.until((line) => line.startsWith('✓ ') && line.includes('send'))
    expect(again.lines.join('\n')).not.toContain(`approve above ${id}`)
  })

  test('an unknown approval is reported in one line', async () => {
    const { code, stderr } = await work.bridle(['approve', 'asks', 'apr-0'])
    expect([code, stderr]).toEqual([1, 'bridle: asks has no approval apr-0. Those that wait: bridle approvals\n'])
  })
})

test('[C28] a signal that no run takes, and one for no session, end with 1', async () => {
  await work.bridle(['run', 'scripted', scriptOf({ text: 'done' }), '--id', 'quiet'])
  const refused = await work.bridle(['signal', 'quiet', 'paid', '{"n":1}', '--actor', 'me', '--key', 'k-1'])
  expect(refused).toEqual({ code: 1, stdout: '', stderr: 'bridle: No run of the session takes signals now.\n' })
  const nowhere = await work.bridle(['signal', 'nowhere', 'paid'])
  expect([nowhere.code, nowhere.stderr]).toEqual([
    1,
    `bridle: There is no session nowhere on the server at ${work.url}. Try bridle sessions, or name another server with --url.\n`,
  ])
  const bad = await work.bridle(['signal', 'quiet', 'not an id'])
  expect([bad.code, bad.stderr]).toEqual([2, 'bridle: name: Expected an id\n'])
})

describe('[C4] the token', () => {
  test('is asked for when it is missing or wrong, and never printed', async () => {
    const none = await work.bridle(['sessions'], { env: { FH_AUTH_TOKEN: '' } })
    expect([none.code, none.stdout]).toEqual([1, ''])
    expect(none.stderr).toContain('Set FABRIC_HARNESS_API_TOKEN')
    const other = { FABRIC_HARNESS_API_TOKEN: 'the-first-name-wins' }
    expect((await work.bridle(['sessions'], { env: other })).code).toBe(1)
    const doctor = await work.bridle(['doctor', '--data', 'data'], { env: other })
    expect(doctor.code).toBe(1)
    expect(parseJsonRows(doctor.stdout)).toContainEqual({
      check: 'token',
      state: 'wrong',
      detail: 'the server refuses the one in FABRIC_HARNESS_API_TOKEN',
    })
    expect(doctor.stdout + doctor.stderr).not.toContain('wins')
  })

  test('[C14] doctor finds the server, the owner of the data, and the agents', async () => {
    const { code, stdout } = await work.bridle(['doctor', '--data', 'data'])
    expect(code).toBe(0)
    expect(parseJsonRows(stdout)).toEqual(
      expect.arrayContaining([
        { check: 'data folder', state: 'ok', detail: `data is in use by process ${work.server?.process.pid}` },
        { check: 'server', state: 'ok', detail: `Bridle answers at ${work.url}` },
        { check: 'token', state: 'ok', detail: 'set by FH_AUTH_TOKEN' },
        expect.objectContaining({ check: 'agent scripted', state: 'ok' }),
      ]),
    )
    expect(stdout).not.toContain(token)
  })
})
