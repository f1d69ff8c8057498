// `bridle run` against a real server, and with none.
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fabricClient } from '@bridle/client/index'
import { lockFolder, writeFolderOwner } from '@bridle/stores/folder-lock'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { longTest } from '../../../../scripts/long-test.ts'
import { CliWorkspace, freePort, hasType, parseJsonRows, scriptOf } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const entry = new URL('../../../bridle/src/index.ts', import.meta.url).href
/** A schema that takes any body. */
const ANY_INPUT = `{ '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }`
let work: CliWorkspace
beforeAll(async () => {
  work = new CliWorkspace()
  mkdirSync(join(work.folder, 'agents'))
  writeFileSync(
    join(work.folder, 'agents', 'echo.ts'),
    `import { agent } from '${entry}'\nexport default agent({ name: 'echo', input: ${ANY_INPUT}, run: ({ input }) => input })\n`,
  )
  installProviderTool()
  writeFileSync(
    join(work.folder, 'agents', 'borrower.ts'),
    `import { agent } from '${entry}'\nimport { answer } from 'provider-tool'\nexport default agent({ name: 'borrower', run: () => answer })\n`,
  )
  await work.boot()
})
afterAll(() => work.remove())

/** A package as many below the model providers are: its condition `source` names TypeScript, which Node runs in no node_modules. */
const installProviderTool = (): void => {
  const folder = join(work.folder, 'node_modules', 'provider-tool')
  mkdirSync(folder, { recursive: true })
  const exports = { '.': { source: './index.ts', default: './index.js' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'provider-tool', type: 'module', exports }))
  writeFileSync(
    join(folder, 'index.ts'),
    'export enum Answer { value = 1 }\nexport const answer: Answer = Answer.value\n',
  )
  writeFileSync(join(folder, 'index.js'), "export const answer = 'as built'\n")
}

const types = (stdout: string): string[] => parseJsonRows(stdout).map(({ type }) => type)

describe('[C5] the outcome', () => {
  test('completed: the events of the run, an outcome, exit 0', async () => {
    const script = scriptOf({ text: 'Hello', chunks: 2 }, { tool: 'read', args: { p: 1 }, result: 42 })
    const { code, stdout, stderr } = await work.bridle(['run', 'scripted', script, '--id', 'done'])
    expect([code, stderr]).toEqual([0, ''])
    expect(types(stdout).filter((type) => type !== 'text_delta')).toEqual([
      'prompt_start',
      'tool_start',
      'tool_end',
      'result',
      'idle',
      'outcome',
    ])
    const text = parseJsonRows(stdout).map(({ data }) => data?.delta ?? '')
    expect(text.join('')).toBe('Hello')
    expect(parseJsonRows(stdout).at(-1)).toMatchObject({
      sessionId: 'done',
      agent: 'scripted',
      status: 'completed',
      result: 'Hello',
    })
  })

  longTest(
    'an agent starts from the checkout though a package of its own has a condition called `source`',
    async () => {
      const { code, stdout, stderr } = await work.bridle(['run', 'borrower', 'x', '--id', 'borrowed'])
      expect([code, stderr, parseJsonRows(stdout).at(-1)]).toEqual([
        0,
        '',
        expect.objectContaining({ agent: 'borrower', status: 'completed', result: 'as built' }),
      ])
    },
  )

  test('failed: exit 1', async () => {
    const { code, stdout } = await work.bridle(['run', 'scripted', scriptOf({ text: 'a' }, { fail: 'it broke' })])
    expect([code, parseJsonRows(stdout).at(-1)]).toEqual([
      1,
      expect.objectContaining({ status: 'failed', error: { message: 'it broke', reason: null } }),
    ])
  })

  longTest('cancelled: exit 3', async () => {
    const run = work.start(['run', 'scripted', scriptOf({ text: 'a' }, { sleepMs: 60_000 }), '--id', 'stopped'])
    await run.until(hasType('text_delta'))
    await cancel('stopped')
    const { code, stdout } = await run.ended
    expect([code, parseJsonRows(stdout).at(-1)]).toEqual([
      3,
      expect.objectContaining({ type: 'outcome', status: 'cancelled' }),
    ])
  })

  test('[C165] bad input: exit 2; no such agent: exit 1, and the agents there are; neither names a session', async () => {
    const bad = await work.bridle(['run', 'scripted', '--set', 'x=1'])
    expect([bad.code, bad.stderr]).toEqual([2, 'bridle: The body must have a "prompt" that is a text.\n'])
    const nobody = await work.bridle(['run', 'nobody', 'hi'])
    expect([nobody.code, nobody.stderr]).toMatchObject([
      1,
      /^bridle: There is no agent nobody; there (is|are) .*scripted/,
    ])
    const shown = await work.bridle(['run', 'nobody', 'hi', '--text'])
    expect([shown.stdout, shown.stderr]).toEqual(['', expect.not.stringContaining('session')])
    const empty = await work.bridle(['run', 'scripted', '--text'])
    expect([empty.code, empty.stderr]).toEqual([
      2,
      'bridle: Say what to do: bridle run scripted "Hello", or use --payload or --set.\n',
    ])
  })

  test('a run behind others shows its own events only', async () => {
    const first = work.start([
      'run',
      'scripted',
      scriptOf({ text: 'first' }, { approve: 'go', args: {} }),
      '--id',
      'queue',
    ])
    const asked = await first.until(hasType('approval_requested'))
    const second = work.start(['run', 'scripted', scriptOf({ text: 'second' }), '--id', 'queue'])
    const third = work.start(['run', 'scripted', scriptOf({ text: 'third' }), '--id', 'queue'])
    const fabric = fabricClient({ url: work.url })
    while ((await fabric.session('queue')).queued < 2);
    await work.bridle(['approve', 'queue', String(parseJsonRows(asked)[0]?.data.approvalId)])
    const ended = await Promise.all([first.ended, second.ended, third.ended])
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(
      ended.map(({ stdout }) =>
        parseJsonRows(stdout)
          .map(({ data }) => data?.delta ?? '')
          .join(''),
      ),
    ).toEqual(['first', 'second', 'third'])
    expect(ended.map(({ stdout }) => parseJsonRows(stdout).at(-1)?.result)).toEqual(['first', 'second', 'third'])
    // [C124] Each says at once how many are ahead of it; the two came in any order.
    const waits = ended.map(({ stdout }) => parseJsonRows(stdout).filter(({ type }) => type === 'notice'))
    expect(waits[0]).toEqual([])
    expect([waits[1]?.[0]?.data.message, waits[2]?.[0]?.data.message].sort()).toEqual([
      'queued behind 1 run',
      'queued behind 2 runs',
    ])
  })
})

test('[C124] a run in a paused session says that it is paused, and which command goes on', async () => {
  const script = scriptOf({ text: 'at last' })
  await work.bridle(['run', 'scripted', scriptOf({ text: 'first' }), '--id', 'still'])
  await work.bridle(['pause', 'still'])
  const background = await work.bridle(['run', 'scripted', script, '--id', 'still', '--background', '--text'])
  expect([background.stdout, background.stderr]).toEqual([
    'still',
    'The session is paused, so this waits. Go on with\n  bridle resume still\nWatch it with bridle attach still\n',
  ])
  const run = work.start(['run', 'scripted', script, '--id', 'still', '--text'])
  await run.until((line) => line === '… paused; bridle resume still goes on')
  run.process.kill('SIGINT')
  const left = 'Left. The session is paused: bridle resume still goes on. Watch it with bridle attach still\n'
  expect(await run.ended).toMatchObject({ code: 130, stderr: expect.stringContaining(left) })
  const watched = work.start(['run', 'scripted', script, '--id', 'still', '--text'])
  await watched.until((line) => line === '… paused; bridle resume still goes on')
  await work.bridle(['resume', 'still'])
  expect(await watched.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/· Resumed\nat last/) })
})

test('[C3] text for people: the stream, a line per call, no colour in a pipe, and no escape of the agent’s', async () => {
  const script = scriptOf(
    { thinking: 'hm' },
    { text: 'a\u001b[31mb ' },
    { tool: 'read', args: { p: 1 }, result: { n: 2 } },
    { tool: 'write', outcome: 'error', result: 'no' },
    { text: 'end' },
  )
  const { code, stdout, stderr } = await work.bridle(['run', 'scripted', script, '--id', 'pretty', '--text'])
  expect([code, stderr]).toEqual([0, 'scripted, session pretty\ncompleted, session pretty\n'])
  expect(stdout.split('\n')).toEqual([
    'hm',
    'a␛[31mb ',
    '● read {"p":1}',
    '✓ read {"n":2}',
    '● write',
    '✗ write no',
    'end',
  ])
})

test('[C6] later inputs win: --payload, --payload-file, --stdin, --set, the prompt', async () => {
  writeFileSync(join(work.folder, 'input.json'), JSON.stringify({ prompt: 'file', b: 'file', c: 'file', d: 'file' }))
  const inputs = ['--payload', '{"a":"payload","b":"payload"}', '--payload-file', 'input.json', '--stdin']
  const sets = ['--set', 'd=4', '--set', 'e=a=b', '--set', 'f={"g":true}', '--set', 'prompt=set']
  const { code, stdout } = await work.bridle(['run', 'echo', 'the prompt', ...inputs, ...sets], {
    input: '{"c":"stdin","d":"stdin"}',
  })
  expect([code, parseJsonRows(stdout).at(-1)?.result]).toEqual([
    0,
    { a: 'payload', b: 'file', c: 'stdin', d: 4, e: 'a=b', f: { g: true }, prompt: 'the prompt' },
  ])
  const bad = await work.bridle(['run', 'echo', '--stdin'], { input: 'nonsense' })
  expect([bad.code, bad.stderr]).toMatchObject([2, /^bridle: standard input is not JSON/])
})

test('[C5] a result that was not streamed is shown to people too', async () => {
  const { stdout } = await work.bridle(['run', 'echo', '--set', 'n=1', '--text'])
  expect(JSON.parse(stdout)).toEqual({ n: 1 })
})

test('[C8] Ctrl+C leaves, says that the run continues, and it does', async () => {
  const run = work.start(['run', 'scripted', scriptOf({ text: 'so far' }, { approve: 'go', args: {} }), '--id', 'left'])
  const asked = await run.until(hasType('approval_requested'))
  run.process.kill('SIGINT')
  const { code, stderr } = await run.ended
  expect([code, stderr]).toEqual([130, 'bridle: Left. The run continues; watch it with bridle attach left\n'])
  expect((await work.bridle(['approve', 'left', String(parseJsonRows(asked)[0]?.data.approvalId)])).code).toBe(0)
  const attached = work.start(['attach', 'left'])
  await attached.until(hasType('result'))
})

describe('[C7] with no server', () => {
  test('[C301] it starts a server in this process, on the same data, and keeps its log of requests back', async () => {
    const options = { env: await work.unnamed() }
    const ask = (text: string, ...more: string[]) =>
      work.bridle(['run', 'scripted', scriptOf({ text }), '--id', 'x', '--data', 'own', ...more], options)
    const { code, stdout, stderr } = await ask('alone')
    expect([code, parseJsonRows(stdout).at(-1)?.result, stderr]).toEqual([0, 'alone', ''])
    expect(existsSync(join(work.folder, 'own', 'bridle.sqlite'))).toBe(true)
    const again = await ask('again', '--text')
    expect([again.code, again.stdout]).toEqual([0, 'again'])
    expect(again.stderr).toMatch(/^No Bridle answers at .*; this command starts a server, with the data in own\n/)
    expect(again.stderr.split('\n').slice(1)).toEqual(['scripted, session x', 'completed, session x', ''])
  })

  longTest('unless another process has the data', async () => {
    // The server of the folder has published no address, as one inside of a command.
    const folder = join(work.folder, 'held')
    mkdirSync(folder)
    const release = lockFolder(folder)
    writeFolderOwner(folder)
    const { code, stdout, stderr } = await work.bridle(['run', 'scripted', 'hi', '--data', 'held'], {
      env: await work.unnamed(),
    })
    release()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /is in use by another process \(pid \d+\)\. Stop that process first, .* \(--data\)\. No Bridle answers at .*; --url names the server of that process\.\n$/,
    )
    const second = await work.bridle(['start', '--port', '0', '--data', 'data'])
    expect([second.code, second.stdout]).toEqual([1, ''])
    expect(second.stderr).toMatch(
      /is in use by another process \(pid \d+\)\. Stop that process first, or choose another folder with the setting data \(--data\)\.\n$/,
    )
  })
})

describe('[C283] --background', () => {
  test('the work goes on behind the command, which prints the session and how to watch it', async () => {
    const script = scriptOf({ text: 'slow ' }, { approve: 'go', args: {} }, { text: 'done' })
    const { code, stdout, stderr } = await work.bridle(['run', 'scripted', script, '--background', '--text'])
    const id = stdout.trim()
    expect([code, stderr]).toEqual([0, `It works in the background. Watch it with bridle attach ${id}\n`])
    const fabric = fabricClient({ url: work.url })
    await expect.poll(async () => (await fabric.session(id)).status, { timeout: 30_000 }).toBe('awaiting_approval')
    expect(await fabric.session(id)).toMatchObject({ kind: 'background', agent: 'scripted' })
  })

  test('in JSON a row; --id names the session, and fields of the input go with it', async () => {
    const args = ['run', 'echo', 'the prompt', '--set', 'x=1', '--background', '--id']
    const [one, two] = await Promise.all(['bg-1', 'bg-2'].map((id) => work.bridle([...args, id])))
    expect([one?.code, parseJsonRows(one?.stdout ?? '')]).toEqual([
      0,
      [{ sessionId: 'bg-1', agent: 'echo', runId: 'r-2', status: 'running' }],
    ])
    expect(parseJsonRows(two?.stdout ?? '')).toMatchObject([{ sessionId: 'bg-2' }])
    const fabric = fabricClient({ url: work.url })
    await expect.poll(async () => (await fabric.session('bg-1')).status, { timeout: 30_000 }).toBe('completed')
    expect(await fabric.run('bg-1', 'r-2')).toMatchObject({ result: { prompt: 'the prompt', x: 1 } })
  })

  longTest('with --id of a session that is there, such as a branch, the prompt is its next one', async () => {
    await work.bridle(['run', 'scripted', scriptOf({ text: 'first' }), '--id', 'stem'])
    await work.bridle(['branch', 'stem', '--id', 'twig'])
    const args = ['run', 'scripted', scriptOf({ text: 'second' }), '--id', 'twig', '--background']
    const { code, stdout } = await work.bridle(args)
    expect([code, parseJsonRows(stdout)]).toEqual([
      0,
      [{ sessionId: 'twig', agent: 'scripted', runId: expect.stringMatching(/^r-\d+$/), status: expect.any(String) }],
    ])
    const fabric = fabricClient({ url: work.url })
    const runId = parseJsonRows(stdout)[0]?.runId
    await expect
      .poll(async () => (await fabric.run('twig', String(runId))).status, { timeout: 30_000 })
      .toBe('completed')
    const people = await work.bridle([...args, '--text'])
    expect(people).toEqual({
      ...{ code: 0, stdout: 'twig' },
      stderr: 'It works in the background. Watch it with bridle attach twig\n',
    })
  })

  longTest('it starts no server of its own, needs a prompt, and names the agents there are', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const alone = await work.bridle(['run', 'scripted', 'hi', '--background', '--url', url])
    expect(alone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^bridle: No Bridle answers/) })
    const empty = await work.bridle(['run', 'scripted', '--background'])
    expect(empty).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Say what to do: ') })
    const nobody = await work.bridle(['run', 'nobody', 'hi', '--background'])
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no agent nobody; there are ') })
  })
})

test('[C284] a port that another Bridle has, and one that another program has', async () => {
  const port = new URL(work.url).port
  const taken = await work.bridle(['start', '--port', port, '--data', 'other'])
  expect(taken).toMatchObject({ code: 1, stdout: '' })
  expect(taken.stderr).toBe(
    `bridle: Port ${port} is in use by another Bridle. Stop that one first, or choose another port with --port.\n`,
  )
  // Many programs answer /health so.
  const stranger = createServer((_request, answer) => void answer.end('{"ok":true}')).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  const { port: other } = stranger.address() as AddressInfo
  const { stderr } = await work.bridle(['start', '--port', String(other), '--data', 'other'])
  expect(stderr).toBe(`bridle: Port ${other} is in use; choose another with --port.\n`)
  stranger.close()
})

test('[C10] a run is followed across a kill -9 of its server', async () => {
  const script = scriptOf({ text: 'before ' }, { approve: 'go', args: {} }, { text: 'after' })
  const run = work.start(['run', 'scripted', script, '--id', 'survivor'])
  const asked = await run.until(hasType('approval_requested'))
  await work.kill()
  await work.boot()
  expect((await work.bridle(['approve', 'survivor', String(parseJsonRows(asked)[0]?.data.approvalId)])).code).toBe(0)
  const { code, stdout } = await run.ended
  expect([code, parseJsonRows(stdout).at(-1)?.result]).toEqual([0, 'before after'])
  const ids = parseJsonRows(stdout)
    .slice(0, -1)
    .map(({ id }) => Number(id.slice(3)))
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
})

/** By the socket: the HTTP wire has no route for it. */
const cancel = async (id: string): Promise<void> => {
  const socket = new WebSocket(`${work.url.replace('http', 'ws')}/sessions/${id}/ws`)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const acknowledged = new Promise((resolve) => {
    socket.onmessage = ({ data }) => String(data).includes('"ack"') && resolve(data)
  })
  socket.send(JSON.stringify({ type: 'cancel', taskId: id }))
  await acknowledged
  socket.close()
}
