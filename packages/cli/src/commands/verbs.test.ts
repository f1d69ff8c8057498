// The verbs that look at sessions and steer them, against a server in this process. Three sessions are at work at a time.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { scriptedModel } from '@bridle/agents/testing/scripted-model'
import { fabricClient } from '@bridle/client/index'
import { HarnessServer } from '@bridle/server/node/index'
import { turnEvents, writtenFile } from '@bridle/surfaces/http/history/written-files.suite'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type VerbWorld, verbWorld } from '../verb-calls.suite.ts'

let world: VerbWorld
beforeAll(async () => {
  world = await verbWorld()
})
afterAll(() => world.close())

const ids = ['north-1', 'north-2', 'south-1']
const fabric = () => fabricClient({ url: world.server.url })
const waitFor = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 20_000, interval: 20 })
const noSessionText = (id: string) =>
  `There is no session ${id} on the server at ${world.server.url}. Try bridle sessions, or name another server with --url.`
const status = async (id: string) => (await fabric().session(id)).status

describe('[C150] a session is named by the beginning of its id', () => {
  beforeAll(() => Promise.all(ids.map((id) => world.play(id, { text: id }))))

  test('one that fits is enough, in every verb that takes a session', async () => {
    for (const argv of [
      ['inspect', 'south'],
      ['logs', 'south'],
      ['health', 'south'],
      ['checkpoints', 'south'],
      ['artifacts', 'south'],
      ['cancel', 'south'],
      ['open', 'south'],
      ['replay', 'south'],
    ])
      expect([argv, (await world.json(...argv)).code]).toEqual([argv, 0])
    expect((await world.rows('cancel', 'south'))[0]).toMatchObject({ sessionId: 'south-1', cancelled: false })
  })

  test('several are listed, and nothing is done', async () => {
    expect(await world.json('delete', 'north', '--yes')).toEqual({
      ...{ code: 2, stdout: '' },
      notes: 'north is the beginning of 2 ids. Say more of it:\n  north-1\n  north-2',
    })
    expect(await status('north-1')).toBe('idle')
  })

  test('a whole id wins, though another id begins with it', async () => {
    await world.play('north', { text: 'the short one' })
    expect((await world.rows('inspect', 'north'))[0]).toMatchObject({ id: 'north' })
    await world.rows('delete', 'north', '--yes')
    expect((await world.json('inspect', 'north')).code).toBe(2)
  })

  test('none is an error in one line; an archived one is found', async () => {
    expect(await world.json('inspect', 'west')).toEqual({
      ...{ code: 1, stdout: '', notes: noSessionText('west') },
    })
    await world.play('put-away', { text: 'x' })
    await fabric().archive('put-away')
    expect((await world.rows('inspect', 'put-a'))[0]).toMatchObject({ id: 'put-away', archived: true })
  })
})

describe('[C346] an id that sessions of several agents have', () => {
  let server: HarnessServer
  const twins = ['first-agent', 'second-agent']
  const client = () => fabricClient({ url: server.url })
  beforeAll(async () => {
    const agents = twins.map((name) => agent({ name, run: async () => name }))
    server = await HarnessServer.start({
      ...{ port: 0, data: join(world.folder, 'twins'), store: 'memory', cockpit: false, agentsRoot: false },
      ...{ agents, log: () => {} },
    })
    for (const each of twins) await client().invoke(each, 'twin-1', { prompt: 'x' })
  })
  afterAll(() => server.close())
  const refusal = (text: string) => ({
    ...{ code: 2, stdout: '' },
    notes: `${text} is a session of 2 agents. Say which:\n  --agent first-agent\n  --agent second-agent`,
  })

  test('is refused by every verb, also for the beginning of the id, and nothing is done', async () => {
    for (const [verb = '', ...more] of [
      ['delete', '--yes'],
      ['cancel'],
      ['pause'],
      ['resume'],
      ['approve', 'apr-1'],
      ['reject', 'apr-1'],
      ['signal', 'go'],
      ['branch'],
      ['rerun'],
      ['apply'],
      ['inspect'],
      ['logs'],
      ['health'],
      ['checkpoints'],
      ['artifacts'],
      ['export', '-o', join(world.folder, 'twin.jsonl')],
      ['replay'],
      ['open'],
    ])
      for (const [typed, id] of [
        ['twin-1', 'twin-1'],
        ['twi', 'twin-1'],
      ] as const)
        expect([verb, await world.text(verb, typed, ...more, '--url', server.url)]).toEqual([verb, refusal(id)])
    for (const each of twins) expect((await client().session('twin-1', each)).status).toBe('idle')
  })

  test('[C351] an agent without a session of the id is told apart, with the agents that have one', async () => {
    const others = `Other agents have one:\n${twins.map((each) => `  twin-1 --agent ${each}`).join('\n')}`
    for (const [verb = '', ...more] of [
      ['inspect'],
      ['cancel'],
      ['approve', 'apr-1'],
      ['logs'],
      ['branch'],
      ['replay'],
    ])
      for (const typed of ['twin-1', 'twi'])
        expect([verb, await world.text(verb, typed, ...more, '--agent', 'scripted', '--url', server.url)]).toEqual([
          verb,
          { code: 1, stdout: '', notes: `The agent scripted has no session ${typed}. ${others}` },
        ])
    expect((await world.text('approve', 'twin-1', 'apr-9', '--agent', 'second-agent', '--url', server.url)).notes).toBe(
      `The session twin-1 of the agent second-agent has no approval apr-9. Those that wait: bridle approvals --url ${server.url}`,
    )
  })

  test('chat names the agents in the way in which it takes them', async () => {
    const commands = twins.map((each) => `  bridle chat ${each} --id twin-1 --url ${server.url}`)
    for (const typed of ['twin-1', 'twi'])
      expect(await world.text('chat', '--id', typed, '--url', server.url)).toMatchObject({
        code: 2,
        notes: `twin-1 is a session of 2 agents. Say which:\n${commands.join('\n')}`,
      })
  })

  test('run says that another agent has the id, in the background too', async () => {
    const ran = (...argv: readonly string[]) => world.text('run', ...argv, 'x', '--url', server.url)
    expect((await ran('second-agent', '--id', 'twin-1')).notes).toContain(
      'first-agent has a session twin-1 too. Other commands need --agent second-agent for this one.',
    )
    expect((await ran('first-agent', '--id', 'twin-1')).notes).toContain('second-agent has a session twin-1 too. ')
    for (const argv of [['second-agent', '--id', 'alone-1'], ['second-agent']])
      expect((await ran(...argv)).notes).not.toContain(' too.')
    expect((await ran('second-agent', '--id', 'twin-1', '--background')).notes).toContain(
      'first-agent has a session twin-1 too. Other commands need --agent second-agent for this one.',
    )
  })

  test.each([
    ['run', 'second-agent', 'x', '--background', '--id', 'ID'],
    ['inspect', 'ID', '--agent', 'second-agent'],
    ['checkpoints', 'ID', '--agent', 'second-agent'],
    ['artifacts', 'ID', 'nothing', '--agent', 'second-agent'],
    ['branch', 'ID', '--checkpoint', '9', '--agent', 'second-agent'],
    ['sessions', '--search', 'ID', '--agent', 'second-agent'],
    ['pause', 'ID', '--agent', 'second-agent'],
  ])('the command that %s prints names the agent where it is needed, and only there', async (...argv) => {
    await client().invoke('second-agent', 'lone-1', { prompt: 'x' }, { async: true })
    for (const [id, flag] of [
      ['twin-1', ' --agent second-agent'],
      ['lone-1', ''],
    ] as const) {
      const typed = argv.map((each) => (each === 'ID' ? id : each))
      const { stdout, notes } = await world.text(...typed, '--url', server.url)
      const printed = `${stdout}\n${notes}`.split('\n').filter((line) => line.includes(`bridle `))
      expect(printed.length).toBeGreaterThan(0)
      for (const line of printed) {
        expect(line.endsWith(`${flag} --url ${server.url}`) ? '' : line).toBe('')
        expect(line.includes('--agent')).toBe(flag !== '')
      }
    }
  })

  test('--agent chooses; with one session left the id is enough', async () => {
    const at = ['--url', server.url]
    expect(await world.rows('delete', 'twi', '--yes', '--agent', 'first-agent', ...at)).toEqual([
      { sessionId: 'twin-1', agent: 'first-agent', deleted: true },
    ])
    expect((await world.rows('inspect', 'twin-1', ...at))[0]).toMatchObject({ id: 'twin-1', agent: 'second-agent' })
  })
})

describe('[C151] sessions', () => {
  test('[C12] the server knows which statuses there are', async () => {
    for (const verb of ['sessions', 'export']) {
      const { code, notes } = await world.text(verb, '--status', 'runing')
      expect([code, notes]).toEqual([
        2,
        '--status: "runing" is none of idle, queued, running, awaiting_approval, paused, recovering, completed, failed, cancelled',
      ])
    }
    expect((await world.text('sessions', '--kind', 'talk')).notes).toBe('--kind: "talk" is none of chat, background')
  })

  test('ids are cut where titles would have no room, and each still names its session', async () => {
    const long = ['a', 'b', 'c'].map((letter) => `scripted-${letter}3c1c5d2-95a1-4f4e-8d3a-0a8f3f7c2b1e`)
    await Promise.all(long.map((id) => world.play(id, { text: 'A title that is long enough to be cut' })))
    const { stdout, notes } = await world.text('sessions', '--search', 'scripted-')
    const [, ...lines] = stdout.split('\n')
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(80)
      const [id = ''] = line.split(' ')
      expect(id.length).toBeLessThan(20)
      expect((await world.rows('inspect', id))[0]?.id).toMatch(new RegExp(`^${id}`))
    }
    // The id to paste next is whole.
    expect(notes.trim()).toMatch(/^bridle inspect scripted-.{36}$/)
    const rows = await world.rows('sessions', '--search', 'scripted-')
    expect(rows.map(({ id }) => id).sort()).toEqual(long)
    expect((await world.wide('sessions', '--search', 'north-')).stdout).toContain('north-1 ')
  })
})

test('[C151] approvals cut ids in the same way, and print whole ones to paste', async () => {
  const long = ['a', 'b', 'c'].map((letter) => `asking-${letter}3c1c5d2-95a1-4f4e-8d3a-0a8f3f7c2b1e`)
  for (const id of long) await world.begin(id, { approve: 'bash', args: { command: id } })
  await waitFor(async () => expect((await world.rows('approvals')).length).toBe(3))
  const { stdout, notes } = await world.text('approvals')
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  // Every character of the arguments is there all the same.
  for (const id of long) expect(stdout.replaceAll(/\n {2}… /g, '')).toContain(`"command": "${id}"`)
  expect(notes).toMatch(/^bridle approve asking-.{36} apr-\d+\nbridle reject asking-.{36} apr-\d+$/)
  const [approval] = await world.rows('approvals')
  await world.rows('approve', 'asking-a', String(approval?.id), '--args', '{"command":"ls"}')
  for (const id of long) await world.rows('cancel', id)
})

describe('[C152] inspect', () => {
  test('shows what a session does, cost and needs', async () => {
    const steps = [{ tool: 'read', outcome: 'error' }, { usage: { input_tokens: 7, output_tokens: 3, cost_usd: 0.5 } }]
    await world.begin('needs-1', ...steps, { approve: 'bash', args: { command: 'rm \u001b[2J' }, reason: 'sure?' })
    const approval = await waitFor(async () => {
      const [found] = (await fabric().session('needs-1')).approvals
      expect(found).toBeDefined()
      return found
    })
    const { stdout, notes } = await world.text('inspect', 'needs-1')
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    const field = (name: string) => new RegExp(`^${name} +(.*)$`, 'm').exec(stdout)?.[1]
    expect(field('Status')).toMatch(/^awaiting_approval, run r-/)
    expect(field('Turns')).toBe('1, 2 messages')
    expect(field('Usage')).toBe('10 tokens (7 in, 3 out), $0.50')
    expect(field('Health')).toMatch(/^\d+/)
    expect(stdout).toContain('1 failed tool call')
    expect(field('Approvals')).toBe(`${approval?.id} bash {"command":"rm \\u001b[2J"} (sure?)`)
    expect(notes).toContain(`bridle approve needs-1 ${approval?.id}`)
    const [row] = await world.rows('inspect', 'needs-1')
    expect(row).toMatchObject({
      id: 'needs-1',
      branches: [],
      workspace: { workspace_id: null },
      usage: { cost_usd: 0.5 },
    })
    await world.rows('cancel', 'needs-1', '--actor', 'ann')
    await waitFor(async () => expect(await status('needs-1')).toBe('idle'))
  })

  test('says which name is that of the model, and nothing of an engine where there is none', async () => {
    const server = await HarnessServer.start({
      ...{ port: 0, data: join(world.folder, 'helper'), store: 'memory', cockpit: false, agentsRoot: false },
      ...{ agents: [agent({ name: 'helper', model: scriptedModel([{ text: 'Hello.' }]) })], log: () => {} },
    })
    try {
      await fabricClient({ url: server.url }).invoke('helper', 'h-1', { prompt: 'x' })
      const { stdout } = await world.text('inspect', 'h-1', '--url', server.url)
      expect(/^Agent +(.*)$/m.exec(stdout)?.[1]).toBe('helper, model script')
    } finally {
      await server.close()
    }
  })
})

describe('[C153] logs', () => {
  beforeAll(async () => {
    await world.play(
      'logged',
      { text: 'one' },
      { tool: 'read', args: { path: 'a' }, result: 1 },
      { tool: 'bash', outcome: 'error' },
    )
  })

  test.each<[string, string[], (string | number)[][]]>([
    [
      'by type',
      ['--type', 'tool_call'],
      [
        ['tool_call', 'read'],
        ['tool_call', 'bash'],
      ],
    ],
    [
      'by types',
      ['--type', 'token,completed'],
      [
        ['token', 'one'],
        ['completed', ''],
      ],
    ],
    ['by tool', ['--tool', 'bash', '--type', 'tool_outcome'], [['tool_outcome', 'bash']]],
    ['by status', ['--status', 'error'], [['tool_outcome', 'bash']]],
    ['by text', ['--grep', 'PATH.:.a'], [['tool_call', 'read']]],
    ['the last that fit', ['--type', 'tool_call', '--last', '1'], [['tool_call', 'bash']]],
    ['none', ['--type', 'nothing'], []],
  ])('%s', async (_name, flags, expected) => {
    const rows = await world.rows('logs', 'logged', ...flags)
    expect(rows.map(({ type, payload }) => [type, named(payload as Record<string, unknown>)])).toEqual(expected)
  })

  const named = ({ name, tool_name, text }: Record<string, unknown>) => name ?? tool_name ?? text ?? ''

  test('are the events of the stream, of either tier, with a line for each', async () => {
    for (const tier of ['default', 'debug'] as const) {
      const streamed: unknown[] = []
      const stop = new AbortController()
      for await (const envelope of fabric().envelopes('logged', { tier, signal: stop.signal })) {
        if (envelope.type !== 'session') streamed.push(envelope)
        if (envelope.type === 'session_state' && envelope.payload.status === 'idle') stop.abort()
      }
      expect(await world.rows('logs', 'logged', '--tier', tier)).toEqual(streamed)
    }
    const { stdout } = await world.text('logs', 'logged')
    for (const line of stdout.split('\n')) {
      expect(line).toMatch(/^\d\d:\d\d:\d\d ev-\d+ +[a-z_]+/)
      expect(line.length).toBeLessThanOrEqual(80)
    }
    const [first] = await world.rows('logs', 'logged', '--type', 'tool_call')
    expect((await world.rows('logs', 'logged', '--after', `ev-${first?.seq}`))[0]?.seq).toBe(Number(first?.seq) + 1)
  })

  test('[C306] --after names an incarnation of the log; one of another is a usage error', async () => {
    const all = await world.rows('logs', 'logged')
    const place = all[1]?.seq
    for (const after of [`ev-${place}~1`, `${place}~1`, `ev-${place}`, `${place}`])
      expect(await world.rows('logs', 'logged', '--after', after)).toEqual(all.slice(2))
    expect(await world.text('logs', 'logged', '--after', `ev-${place}~2`)).toMatchObject({
      code: 2,
      notes: expect.stringContaining('a place in another log of the session'),
    })
    expect(await world.text('logs', 'logged', '--after', '~3')).toMatchObject({
      code: 2,
      notes: '--after ~3 is not the id of an event, such as ev-12.',
    })
  })
})

describe('[C154] cancel, pause, resume and delete', () => {
  test('stop what they name, and nothing else', async () => {
    const running = ['one-1', 'two-1', 'three-1']
    await Promise.all(running.map((id) => world.begin(id, { text: id }, { approve: 'go', args: {} })))
    for (const id of running) await waitFor(async () => expect(await status(id)).toBe('awaiting_approval'))
    expect((await world.text('cancel', 'two', '--reason', 'enough', '--actor', 'ann')).stdout).toBe(
      'Cancelled the run of two-1.',
    )
    await waitFor(async () => expect(await status('two-1')).toBe('idle'))
    expect((await world.text('cancel', 'two-1')).stdout).toBe('Nothing was running in two-1.')
    const [cancelled] = await world.rows('logs', 'two-1', '--type', 'cancel_requested')
    expect(cancelled?.payload).toMatchObject({ reason: 'enough', actor: 'ann' })

    expect((await world.text('pause', 'one-1')).stdout).toBe('Paused one-1. Continue with bridle resume one-1')
    expect((await world.rows('inspect', 'one-1'))[0]).toMatchObject({ status: 'paused' })
    expect((await world.rows('resume', 'one-1'))[0]).toMatchObject({ sessionId: 'one-1', paused: false })
    expect(await status('three-1')).toBe('awaiting_approval')

    expect((await world.text('delete', 'three-1', '-y')).stdout).toBe('Deleted three-1.')
    expect((await world.json('delete', 'three-1', '--yes')).code).toBe(1)
    expect(await status('one-1')).toBe('awaiting_approval')
    await world.rows('cancel', 'one-1')
  })

  test('prompts that wait are dropped with --queue', async () => {
    await world.begin('queue-1', { approve: 'go', args: {} })
    await waitFor(async () => expect(await status('queue-1')).toBe('awaiting_approval'))
    await world.begin('queue-1', { text: 'later' })
    await world.rows('cancel', 'queue-1', '--queue')
    await waitFor(async () => expect((await fabric().session('queue-1')).queued).toBe(0))
    await waitFor(async () => expect(await status('queue-1')).toBe('idle'))
    expect(await world.rows('logs', 'queue-1', '--grep', 'later', '--type', 'token')).toEqual([])
  })

  test('[C350] background work ends with its run, and the answer says so', async () => {
    const asks = `@script ${JSON.stringify([{ approve: 'go', args: {} }])}`
    const begin = async (id: string, waiting: number) => {
      await world.rows('run', 'scripted', asks, '--background', '--id', id)
      await waitFor(async () => expect(await status(id)).toBe('awaiting_approval'))
      for (let at = 0; at < waiting; at++) await world.rows('run', 'scripted', 'Next', '--background', '--id', id)
    }
    const there = ['--url', world.server.url]
    for (const [id, waiting, said] of [
      ['work-0', 0, 'Cancelled work-0, which ends it.'],
      ['work-1', 1, 'Cancelled work-1, which ends it; 1 waiting prompt was dropped.'],
      ['work-2', 2, 'Cancelled work-2, which ends it; 2 waiting prompts were dropped.'],
    ] as const) {
      await begin(id, waiting)
      expect(await world.text('cancel', id, ...there)).toEqual({
        ...{ code: 0, stdout: said },
        notes: `To go on, branch from it: bridle branch ${id} "…" ${there.join(' ')}`,
      })
    }
    expect((await world.text('run', 'scripted', 'Hello', '--id', 'work-1')).notes).toContain('The session has ended')

    // A prompt of the queue alone ends nothing.
    await begin('work-3', 0)
    const [queued] = await world.rows('run', 'scripted', 'Next', '--background', '--id', 'work-3')
    const run = String(queued?.runId)
    expect(await world.text('cancel', 'work-3', '--run', run)).toEqual({
      ...{ code: 0, stdout: `Dropped the waiting prompt ${run} of work-3.`, notes: '' },
    })
    await world.rows('cancel', 'work-3')
  })
})

describe('[C155] artifacts', () => {
  beforeAll(async () => {
    await world.play(
      'files-1',
      { artifact: { name: 'a.txt', content: 'old' } },
      { artifact: { name: 'b.md', content: 'b' } },
    )
    await world.play('files-1', { artifact: { name: 'a.txt', content: 'new' } })
  })

  test('are listed, newest first, with the command that saves one', async () => {
    const rows = await world.rows('artifacts', 'files-1')
    expect(rows.map(({ name, size }) => [name, size])).toEqual([
      ['a.txt', 3],
      ['b.md', 1],
      ['a.txt', 3],
    ])
    const { stdout, notes } = await world.text('artifacts', 'files')
    expect(stdout.split('\n')[0]?.split(/ +/)).toEqual(['ARTIFACT', 'KIND', 'SIZE', 'WHEN', 'NAME'])
    expect(notes.trim()).toBe(`bridle artifacts files-1 ${rows[0]?.id} -o FILE`)
  })

  test('one is saved by its name or its id; a file that cannot be written is no half file', async () => {
    const [, , oldest] = await world.rows('artifacts', 'files-1')
    const file = join(world.folder, 'saved')
    expect((await world.text('artifacts', 'files-1', 'a.txt', '-o', file)).stdout).toBe(`Saved to ${file}.`)
    expect(readFileSync(file, 'utf8')).toBe('new')
    await world.rows('artifacts', 'files-1', String(oldest?.id), '-o', file)
    expect(readFileSync(file, 'utf8')).toBe('old')
    const nowhere = join(world.folder, 'no', 'where')
    expect(await world.json('artifacts', 'files-1', 'a.txt', '-o', nowhere)).toMatchObject({ code: 1 })
    expect(await world.json('artifacts', 'files-1', 'a.txt', '-o', world.folder)).toMatchObject({ code: 1 })
    expect(existsSync(`${world.folder}.partial`)).toBe(false)
    expect((await world.json('artifacts', 'files-1', 'c.txt')).notes).toBe(
      'There is no artifact c.txt in files-1. Try bridle artifacts files-1',
    )
    expect((await world.json('artifacts', 'files-1', '-o', file)).code).toBe(2)
  })
})

describe('[C156] checkpoints, branch and rerun', () => {
  beforeAll(() => world.play('trunk', { text: 'one' }, { checkpoint: 'Half way' }, { text: ' two' }))

  test('a session is branched from an event, a checkpoint or its newest point', async () => {
    const points = await world.rows('checkpoints', 'trunk')
    expect(points.map(({ kind, checkpoint }) => [kind, checkpoint])).toEqual([
      ['turn', undefined],
      ['checkpoint', 1],
    ])
    expect((await world.text('checkpoints', 'trunk')).notes.trim()).toBe(
      `bridle branch trunk --from ${points[0]?.event_id}`,
    )
    const there = ['--url', world.server.url]
    const named = ['--id', 'twig-1', '--title', 'A twig']
    const made = await world.text('branch', 'trunk', '--checkpoint', '1', ...named, ...there)
    expect(made).toMatchObject({ code: 0, stdout: 'twig-1' })
    expect(made.notes).toContain(`bridle run scripted "…" --id twig-1 ${there.join(' ')}`)
    expect(await fabric().session('twig-1')).toMatchObject({
      title: 'A twig',
      branch_source_event_id: points[1]?.event_id,
    })
    for (const taken of ['twig-1', 'trunk'])
      expect(await world.text('branch', 'trunk', '--id', taken)).toEqual({
        ...{ code: 1, stdout: '' },
        notes: `There is a session ${taken} already. Choose another --id, or leave it out.`,
      })
    const [newest] = await world.rows('branch', 'tru', 'Go on', '--id', 'twig-2')
    expect(newest).toMatchObject({ sessionId: 'twig-2', parent: { id: 'trunk' } })
    expect(newest?.parent).toMatchObject({ seq: Number(String(points[0]?.event_id).slice(3)) })
    await world.rows('branch', 'trunk', '--from', 'ev-5', '--id', 'twig-3')
    const [tree] = await world.rows('inspect', 'trunk')
    expect(new Set((tree as { branches: { id: string }[] }).branches.map(({ id }) => id))).toEqual(
      new Set(['twig-1', 'twig-2', 'twig-3']),
    )
    expect((await world.json('branch', 'trunk', '--checkpoint', '9')).code).toBe(1)
    expect((await world.json('branch', 'trunk', '--checkpoint', '1', '--from', 'ev-5')).code).toBe(2)
  })

  test('the prompts are asked again in a branch', async () => {
    const made = await world.text('rerun', 'trunk', '--title', 'Again', '--url', world.server.url)
    expect(made).toMatchObject({
      code: 0,
      notes: `1 prompt of trunk is asked again. Watch it with bridle attach ${made.stdout} --url ${world.server.url}`,
    })
    await waitFor(async () => expect(await status(made.stdout)).toBe('idle'))
    expect(await fabric().session(made.stdout)).toMatchObject({ title: 'Again', parent_session_id: 'trunk' })
    expect((await world.json('rerun', 'trunk', '--policy', '{"health":{"max_cost":1}}')).code).toBe(2)
    expect((await world.json('rerun', 'trunk', '--mode', 'wild')).code).toBe(2)
  })
})

describe('[C157] replay', () => {
  test('shows a session of a server, and of a file without one, up to any event', async () => {
    await world.play('past-1', { text: 'one' }, { tool: 'read', args: { a: 1 }, result: 2 }, { text: 'two' })
    const live = await world.text('replay', 'past-1')
    expect(live.stdout).toMatch(/^› @script .*\none\n● read \{"a":1\}\n✓ read 2\ntwo\n\nSession +past-1/)
    const file = join(world.folder, 'past.jsonl')
    writeFileSync(file, await (await fabric().exportSession('past-1')).text())
    expect(await world.text('replay', file)).toEqual(live)
    const [call] = await world.rows('logs', 'past-1', '--type', 'tool_call')
    const half = await world.text('replay', file, '--to', `ev-${call?.seq}`, '--speed', '1000x')
    expect(half.stdout).toMatch(/\n● read \{"a":1\}\n\nSession/)
    const [moment] = await world.rows('replay', file, '--to', `ev-${call?.seq}`)
    expect(moment).toMatchObject({ seq: call?.seq, type: 'tool_call', session: { id: 'past-1', status: 'running' } })
    expect((await world.json('replay', file, '--to', 'ev-999')).notes).toMatch(
      /^--to ev-999 is no event of this session; it has ev-1 to ev-/,
    )
  })

  test('a file with several sessions asks which; a damaged one is said', async () => {
    const file = join(world.folder, 'trunk.jsonl')
    await world.play('root-1', { text: 'one' })
    await world.rows('branch', 'root-1', '--id', 'leaf-1')
    writeFileSync(file, await (await fabric().exportSession('root-1')).text())
    expect((await world.json('replay', file)).notes).toBe(
      `${file} has 2 sessions. Choose one with --session:\n  root-1\n  leaf-1`,
    )
    expect((await world.json('replay', file, '--session', 'stem')).notes).toBe(
      `${file} does not have exactly one session that begins with stem. It has:\n  root-1\n  leaf-1`,
    )
    expect((await world.rows('replay', file, '--session', 'leaf'))[0]).toMatchObject({ session: { id: 'leaf-1' } })
    writeFileSync(file, '{"bridle":"export","version":1,"created_by":"bridle"}\nnothing\n')
    expect(await world.json('replay', file)).toMatchObject({
      ...{ code: 2, notes: expect.stringContaining('Line 2: The line is not JSON') },
    })
    expect((await world.json('replay', 'nofile.jsonl')).notes).toBe(
      `There is no file nofile.jsonl. ${noSessionText('nofile.jsonl')}`,
    )
    // Without a server the file is what was looked for first.
    expect((await world.json('replay', 'nofile.jsonl', '--url', 'http://127.0.0.1:1')).notes).toMatch(
      /^There is no file nofile\.jsonl\. /,
    )
  })
})

describe('[C158] health', () => {
  test('lists the worst first, and explains one', async () => {
    await world.play('ill-1', { tool: 'bash', outcome: 'error' }, { fail: 'Broken' })
    const scores = (await world.rows('health')).map(({ score }) => Number(score))
    expect(scores).toEqual(scores.toSorted((a, b) => a - b))
    const low = await world.rows('health', '--below', '100')
    expect(low.map(({ sessionId }) => sessionId)).toContain('ill-1')
    for (const { score } of low) expect(Number(score)).toBeLessThan(100)
    const { stdout } = await world.text('health', 'ill')
    expect(stdout).toMatch(/^ill-1 +\d+\n +−\d+ the last turn failed \(ev-\d+\)\n/)
    expect((await world.rows('health', 'ill'))[0]).toMatchObject({ sessionId: 'ill-1', penalties: expect.any(Array) })
  })
})

test('[C158] --below is for the list, and refused with a session', async () => {
  expect(await world.text('health', 'ill', '--below', '80')).toEqual({
    ...{ code: 2, stdout: '' },
    notes: '--below chooses sessions of the list; leave it out, or the session.',
  })
})

describe('[C159] agents and open', () => {
  test('agents say what they need', async () => {
    const rows = await world.rows('agents')
    expect(rows.map(({ name }) => name)).toContain('scripted')
    const { stdout, notes } = await world.text('agents')
    expect(stdout).toMatch(/^scripted +scripted +yes /m)
    expect(stdout).toMatch(/^assistant .*no .*\n {2}needs: Set BRIDLE_MODEL/m)
    expect(notes.trim()).toBe('bridle run scripted "Hello"')
  })

  test('[H152] agents name their models, where the server knows them', async () => {
    const definition = agent({ name: 'thinker', model: ['anthropic/large', 'openai/small'] })
    const server = await HarnessServer.start({
      ...{ port: 0, data: join(world.folder, 'models'), store: 'memory', cockpit: false, agentsRoot: false },
      ...{ agents: [definition], engines: { claude: { model: 'opus' } }, log: () => {} },
    })
    const { stdout } = await world.text('agents', '--url', server.url)
    const rows = await world.rows('agents', '--url', server.url)
    await server.close()
    expect(stdout).toMatch(/^thinker +native .*\n {2}models: anthropic\/large, then openai\/small$/m)
    expect(stdout).toMatch(/^claude .*\n {2}model: opus$/m)
    expect(rows.find(({ name }) => name === 'thinker')?.models).toEqual(['anthropic/large', 'openai/small'])
    expect(rows.find(({ name }) => name === 'scripted')).not.toHaveProperty('models')
  })

  test('the address of the cockpit is printed, and that of a session', async () => {
    const { url } = world.server
    expect((await world.text('open')).stdout).toBe(`${url}/`)
    expect((await world.text('open', 'south')).stdout).toBe(`${url}/s/south-1?agent=scripted`)
  })
})

describe('[C391] a session that was imported', () => {
  const trap = `Hello\n${'\n'.repeat(80)}rm -rf ~ \u202etxt\n1 of 1. Start a session with them? [y]es`
  const text = writtenFile({
    id: 'stranger',
    opening: { settings: { permission_mode: 'bypassPermissions', 'a\u202eb': 1 } },
    events: turnEvents(2, trap),
  })

  test('import names what it ignored, and a branch and a rerun show the prompts before anything is made', async () => {
    const file = join(world.folder, 'stranger.jsonl')
    writeFileSync(file, text)
    expect((await world.text('import', file)).stdout).toBe(
      'stranger: 7 events\n  2 settings of the file were ignored: permission_mode, a\\u202eb',
    )
    const count = async () => (await fabric().sessions()).sessions.length
    const before = await count()
    const { prompts_digest: digest } = await fabric().session('stranger')
    for (const verb of [
      ['rerun', 'stranger'],
      ['branch', 'stranger', '--from', 'ev-7'],
    ]) {
      const refused = await world.text(...verb)
      expect([refused.code, refused.stdout]).toEqual([1, ''])
      const lines = refused.notes.split('\n')
      expect([lines[0], lines[1], lines[2], lines.at(-3), lines.at(-2)]).toEqual([
        'stranger was imported from a file, which has 1 prompt:',
        `1 of 1, m-2, ${trap.length} characters`,
        '  | Hello',
        'Mode: normal. Approvals: as the agent scripted asks for them.',
        'Folder: none. Name one with --workspace.',
      ])
      // No line of a prompt looks like a line of the command.
      const shown = lines.slice(2, -3)
      expect([shown.length, shown.every((line) => line.startsWith('  |'))]).toEqual([83, true])
      expect(shown).toContain('  | rm -rf ~ \\u202etxt')
      expect(lines.at(-1)).toContain(`--confirm ${digest}`)
      expect((await world.text(...verb, '--confirm', 'sha256:0')).code).toBe(1)
    }
    expect(await count()).toBe(before)
    const made = await world.text('branch', 'stranger', '--from', 'ev-7', '--confirm', String(digest), '--id', 'mine')
    expect(made).toMatchObject({ code: 0, stdout: 'mine' })
    expect(await fabric().session('mine')).toMatchObject({ workspace_mode: 'none' })
    expect((await world.text('rerun', 'stranger', '--confirm', String(digest))).code).toBe(0)
  })
})

test('[C307] a rerun keeps the agent, and says so to a person who names another', async () => {
  for (const id of ['keep-1', 'keep-2', 'keep-3']) await world.play(id, { text: id })
  expect(await world.text('rerun', 'keep-2', '--agent', 'assistant', '--tenant', 'default')).toEqual({
    code: 2,
    stdout: '',
    notes:
      'keep-2 is a session of scripted, and a rerun keeps the agent. Ask another one with bridle run assistant "…" --tenant default',
  })
  expect(await world.text('rerun', 'nobody', '--agent', 'assistant')).toMatchObject({
    code: 1,
    notes: noSessionText('nobody'),
  })
  expect((await world.text('rerun', 'keep-2', '--agent', 'scripted')).code).toBe(0)
  // A refusal for another reason is told as it is.
  const message = ['rerun', 'keep-2', '--from', 'm-999']
  const refused = await world.text(...message)
  expect(refused).toMatchObject({ code: 2, notes: expect.stringContaining('m-999') })
  expect(await world.text(...message, '--agent', 'scripted')).toEqual(refused)
})

describe('[C348] an agent that the server does not have', () => {
  beforeAll(() => world.play('typo-1', { text: 'one' }))
  const refusal = { code: 1, stdout: '', notes: 'There is no agent scriptd; there is scripted. Did you mean scripted?' }

  test.each([
    ['sessions'],
    ['health'],
    ['export'],
    ['inspect', 'typo-1'],
    ['logs', 'typo'],
    ['cancel', 'typo-1'],
    ['approve', 'typo-1', 'apr-1'],
    ['rerun', 'typo-1'],
    ['attach', 'typo-1'],
  ])('%s says so, and names those that there are', async (...argv) => {
    expect(await world.text(...argv, '--agent', 'scriptd')).toEqual(refusal)
  })

  test('an agent without such a session is another matter', async () => {
    expect((await world.text('inspect', 'typo-9', '--agent', 'assistant')).notes).toBe(noSessionText('typo-9'))
    expect(await world.text('sessions', '--agent', 'assistant')).toMatchObject({ code: 0, notes: 'No sessions.' })
  })
})

test('[C347] a printed command leads to the server that was asked', async () => {
  await world.play('far-1', { text: 'one' }, { checkpoint: 'Half way' })
  const to = ['--url', world.server.url, '--data', 'some folder']
  const flags = ` --url ${world.server.url} --data 'some folder'`
  for (const argv of [
    ['inspect', 'far-1'],
    ['checkpoints', 'far-1'],
    ['health'],
    ['agents'],
    ['branch', 'far-1'],
    ['branch', 'far-1', 'Hello'],
    ['pause', 'far-1'],
    ['approve', 'far-1', 'apr-999'],
    ['branch', 'far-1', '--checkpoint', '9'],
  ]) {
    const { stdout, notes } = await world.text(...argv, ...to)
    const printed = `${stdout}\n${notes}`.split('\n').filter((line) => /bridle [a-z]+/.test(line))
    expect([argv, printed.length]).not.toEqual([argv, 0])
    for (const line of printed) expect(line.endsWith(flags) ? '' : line).toBe('')
  }
  await world.play('files-2', { artifact: { name: 'a.txt', content: 'x' } })
  expect((await world.text('artifacts', 'files-2', ...to)).notes).toMatch(new RegExp(`${flags}$`))
})

test('[C13] an approval that a session does not have is answered with the verb that lists them', async () => {
  await world.play('calm-1', { text: 'one' })
  for (const verb of ['approve', 'reject'])
    expect(await world.text(verb, 'calm-1', 'apr-14')).toEqual({
      ...{ code: 1, stdout: '' },
      notes: 'calm-1 has no approval apr-14. Those that wait: bridle approvals',
    })
})

test('[C341] import says that there is no such file', async () => {
  expect(await world.text('import', 'nofile')).toEqual({ code: 2, stdout: '', notes: 'There is no file nofile.' })
})

test('[C165] run without a prompt: an agent that reads one is not asked; one that takes an input is', async () => {
  const model = scriptedModel(() => ({ text: 'Hello' }))
  const server = await HarnessServer.start({
    ...{ port: 0, data: join(world.folder, 'promptless'), store: 'memory', cockpit: false, agentsRoot: false },
    agents: [
      agent({ name: 'talker', model }),
      agent({ name: 'reporter', model, input: v.object({ days: v.optional(v.number(), 7) }) }),
      agent({ name: 'nightly', run: () => 'done' }),
    ],
    log: () => {},
  })
  try {
    for (const name of ['talker', 'nightly'])
      expect(await world.text('run', name, '--url', server.url)).toEqual({
        ...{ code: 2, stdout: '' },
        notes: `Say what to do: bridle run ${name} "Hello", or use --payload or --set.`,
      })
    const { sessions } = await fabricClient({ url: server.url }).sessions()
    expect(sessions).toEqual([])
    for (const [name, ...more] of [['reporter'], ['nightly', 'Hi'], ['talker', 'Hi']])
      expect([name, (await world.text('run', name ?? '', ...more, '--url', server.url)).code]).toEqual([name, 0])
  } finally {
    await server.close()
  }
})
