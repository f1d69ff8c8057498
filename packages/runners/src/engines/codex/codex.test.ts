import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { longTest } from '../../../../../scripts/long-test.ts'
import { isThorough } from '../../../../../scripts/variants.ts'
import { runnerEventSchemas } from '../../protocol/protocol.ts'
import { readRepository } from '../../repository/repository-texts.ts'
import type { EngineSession } from '../engine.ts'
import { engineEnv, noEngines, startHere } from '../engines.suite.ts'
import { denyRule, RecordingTurn } from '../recording-turn.suite.ts'
import { makeHostileRepository, putFile } from '../repository.suite.ts'
import { CodexWorld, calls, prompt, runs, says } from './codex.suite.ts'
import { codexEngine } from './codex.ts'
import { codexModels } from './description.ts'
import { findCodex } from './launch.ts'

interface CodexRequest {
  readonly model?: string
  readonly instructions?: string
  readonly reasoning?: { readonly effort?: string }
  readonly input?: readonly { readonly role?: string }[]
}

test('one that is not installed says how to install it', async () => {
  const engine = codexEngine({})
  expect(await engine.needs()).toMatch(/^Codex is not installed\. .*apps\/sandbox/)
  const folders = { workFolder: '.', stateFolder: '.', privateFolder: '.' }
  const launcher = async () => ({ start: startHere, baseUrl: 'http://127.0.0.1:9' })
  const options = { ...folders, launcher, resume: null, settings: {} }
  await expect(engine.open(options)).rejects.toThrow('Codex is not installed.')
})

describe.skipIf(noEngines !== null)('codex, the real one', () => {
  let world: CodexWorld
  beforeAll(async () => {
    world = await CodexWorld.make()
  })
  afterAll(() => world?.end())

  const inWork = (name: string) => join(world.work, name)
  const play = async (session: EngineSession, text: string, turn = new RecordingTurn()) => {
    const end = await session.play(text, turn)
    for (const event of turn.events) v.parse(runnerEventSchemas[event.type] as v.GenericSchema, event)
    return { end, turn }
  }

  test('text and thought stream, usage is of this turn, and the key is none', async () => {
    const session = await world.open()
    expect(session.resume).toBe(null)
    const step = { items: [{ reasoning: 'Let me think.' }, { text: 'Hello from a stream.' }], chunk: 4 }
    const { end, turn } = await play(session, prompt(step))
    expect(end).toEqual({ kind: 'completed', result: 'Hello from a stream.' })
    expect(turn.text).toBe('Hello from a stream.')
    expect(turn.of('assistant.delta').length).toBeGreaterThan(1)
    expect(
      turn
        .of('thinking.delta')
        .map(({ text }) => text)
        .join(''),
    ).toBe('Let me think.')
    expect(turn.of('usage')).toMatchObject([
      { inputTokens: 100, outputTokens: 20, totalTokens: 120, costUsd: 0.000325, estimated: true },
    ])
    expect(session.resume).toMatch(/^[0-9a-f-]{36}:[0-9a-f-]{36}$/)
    expect(session.alive).toBe(true)
    expect(world.stub.requests.map(({ path }) => path)).toContain('/openai/v1/responses')
    expect(new Set(world.stub.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer none']))
  })

  test('a command runs, and each of two turns in one process has its own usage', async () => {
    const session = await world.open()
    const { end, turn } = await play(session, prompt(runs('echo out; echo in > ran.txt'), says('Done.')))
    expect(end).toEqual({ kind: 'completed', result: 'Done.' })
    expect(readFileSync(inWork('ran.txt'), 'utf8')).toBe('in\n')
    expect(turn.of('tool.started')).toMatchObject([
      { toolName: 'shell', toolUseId: 'call_1', input: { cwd: world.work } },
    ])
    expect(turn.of('tool.completed')).toMatchObject([
      { toolUseId: 'call_1', outcome: { status: 'ok', result: { output: 'out\n', exitCode: 0 } } },
    ])
    expect(turn.of('usage')).toHaveLength(2)
    const failing = await play(session, prompt(runs('exit 3', 'call_2'), says('Failed.')))
    expect(failing.turn.of('tool.completed')[0]!.outcome).toMatchObject({ status: 'error', result: { exitCode: 3 } })
    expect(failing.turn.of('usage')).toHaveLength(2)
  })

  test('[OH106] a file that came with a prompt is read beside the work, and nobody is asked', async () => {
    const folder = join(world.work, '../state-files/file-1')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'note.txt'), 'canary of the file\n')
    const session = await world.open({ mode: 'default' })
    const { end, turn } = await play(session, prompt(runs('cat ../state-files/file-1/note.txt'), says('Done.')))
    expect(end).toEqual({ kind: 'completed', result: 'Done.' })
    expect(turn.of('tool.completed')).toMatchObject([
      { outcome: { status: 'ok', result: { output: 'canary of the file\n' } } },
    ])
    expect(turn.of('approval.required')).toEqual([])
  })

  test('[EN8] [EN9] [EN10] a hostile repository gives text and nothing else, and a change counts from the next turn', async () => {
    makeHostileRepository(world.work, world.folder)
    const repository = () => readRepository(world.work).texts
    const asked = () => JSON.stringify(world.stub.requests.at(-1)?.body)
    const session = await world.open({ mode: 'default', repository: repository() })
    const release = runs('sh .claude/skills/release/release.sh')
    const rule = new RecordingTurn(({ toolUseId, input }) =>
      toolUseId === 'call_0' ? { decision: 'approved', input } : { decision: 'denied', reason: 'No.' },
    )
    const { turn } = await play(
      session,
      prompt(runs('cat .claude/skills/release/SKILL.md', 'call_0'), release, says('Done.')),
      rule,
    )
    expect(turn.asked.map(({ toolUseId }) => toolUseId)).toEqual(['call_0', 'call_1'])
    for (const text of [
      'Contents of CLAUDE.md:\\n\\nSay hello.',
      'Contents of docs/style.md:\\n\\nUse three spaces.',
      '- release: Makes releases. (.claude/skills/release/SKILL.md)',
      '- pack: Packs things. (.agents/skills/pack/SKILL.md)',
      '- /now: Does it now. (.claude/commands/now.md)',
      '- helper: Helps with anything. (.claude/agents/helper.md)',
      'Run ./release.sh.',
    ])
      expect(asked()).toContain(text)
    expect(asked()).not.toMatch(/canary|root:x|mcp__evil/)
    const { resume } = session
    await session.close()

    putFile(world.work, 'CLAUDE.md', 'Say goodbye.')
    const changed = await world.open({ mode: 'default', repository: repository(), resume })
    expect((await play(changed, prompt(says('Bye.')))).end).toEqual({ kind: 'completed', result: 'Bye.' })
    expect(asked()).toContain('Contents of CLAUDE.md:\\n\\nSay goodbye.')
    // Codex remembers what came before.
    expect(asked()).toContain('Run ./release.sh.')
    const none = await world.open({ mode: 'default' })
    await play(none, prompt(says('Alone.')))
    // Codex lists skills of a repository by itself, unless it is told not to.
    expect(asked()).not.toMatch(/Say goodbye|Makes releases|Packs things/)
    let last = changed.resume
    await changed.close()
    for (const answer of ['Fine.', 'Still fine.']) {
      const without = await world.open({ mode: 'default', resume: last })
      await play(without, prompt(says(answer)))
      expect(asked().match(/no longer apply/g)).toHaveLength(1)
      last = without.resume
      await without.close()
    }
    expect(existsSync(inWork('pwned.txt'))).toBe(false)
    for (const path of ['.claude', '.agents', '.codex', 'docs', '.mcp.json', 'AGENTS.md', 'CLAUDE.md'])
      rmSync(inWork(path), { recursive: true })
  })

  describe('approvals', () => {
    const patch = (name: string) =>
      `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${name}\n+hello\n*** End Patch\nEOF`

    test('a command and a change are asked about, and done when approved', async () => {
      const session = await world.open({ mode: 'default' })
      const steps = [runs('touch allowed.txt'), runs(patch('patched.txt'), 'call_2'), says('Both.')]
      const { end, turn } = await play(session, prompt(...steps))
      expect(end.kind).toBe('completed')
      expect(turn.asked.map(({ toolUseId, toolName }) => [toolUseId, toolName])).toEqual([
        ['call_1', 'shell'],
        ['call_2', 'apply_patch'],
      ])
      expect(turn.asked.map(({ input }) => input)).toEqual(turn.of('tool.started').map(({ input }) => input))
      expect(turn.of('tool.completed').map(({ outcome }) => outcome.status)).toEqual(['ok', 'ok'])
      expect(existsSync(inWork('allowed.txt'))).toBe(true)
      expect(readFileSync(inWork('patched.txt'), 'utf8')).toBe('hello\n')
    })

    test('what is denied is not done, and the turn goes on', async () => {
      const session = await world.open({ mode: 'default' })
      const steps = [runs('touch denied.txt'), runs(patch('denied-too.txt'), 'call_2'), says('Neither.')]
      const { end, turn } = await play(session, prompt(...steps), new RecordingTurn(denyRule('Not today.')))
      expect(end).toEqual({ kind: 'completed', result: 'Neither.' })
      expect(turn.of('tool.completed').map(({ outcome }) => [outcome.status, outcome.reason])).toEqual([
        ['denied', 'Not today.'],
        ['denied', 'Not today.'],
      ])
      expect([existsSync(inWork('denied.txt')), existsSync(inWork('denied-too.txt'))]).toEqual([false, false])
    })

    test('an approval of something else is declined, and says why', async () => {
      const session = await world.open({ mode: 'default' })
      const edited = new RecordingTurn(() => ({ decision: 'approved', input: { command: 'touch other.txt' } }))
      const { turn } = await play(session, prompt(runs('touch asked.txt'), says('Fine.')), edited)
      expect(turn.of('tool.completed')[0]!.outcome).toMatchObject({
        status: 'denied',
        reason: 'The approval changed the input. Codex runs only what it asked for, so it was declined.',
      })
      expect([existsSync(inWork('asked.txt')), existsSync(inWork('other.txt'))]).toEqual([false, false])
    })

    longTest('where only leaving the sandbox is asked about, the reason is the one it gives', async () => {
      const session = await world.open({ mode: 'acceptEdits' })
      const escalated = { cmd: 'touch outside.txt', sandbox_permissions: 'require_escalated', justification: 'May I?' }
      const steps = [runs('touch inside-too.txt'), calls('exec_command', escalated, 'call_2'), says('Done.')]
      const { turn } = await play(session, prompt(...steps))
      expect(turn.asked).toMatchObject([{ toolUseId: 'call_2', reason: 'May I?' }])
      expect([existsSync(inWork('inside-too.txt')), existsSync(inWork('outside.txt'))]).toEqual([true, true])
    })

    longTest('an interrupt ends a turn that waits for an answer', async () => {
      const session = await world.open({ mode: 'default' })
      const turn = new RecordingTurn(() => new Promise(() => {}))
      const end = session.play(prompt(runs('touch never.txt'), says('Never.')), turn)
      await turn.until(({ asked }) => asked.length === 1)
      await session.interrupt()
      expect(await end).toEqual({ kind: 'interrupted' })
      expect(turn.of('tool.completed')).toMatchObject([{ toolUseId: 'call_1', outcome: { status: 'error' } }])
      expect((await play(session, prompt(says('Next.')))).end).toEqual({ kind: 'completed', result: 'Next.' })
    })
  })

  longTest('in plan mode nothing is written, and the command that was stopped is told', async () => {
    const session = await world.open({ mode: 'plan' })
    const { end, turn } = await play(session, prompt(runs('touch planned.txt'), says('I would write.')))
    expect(end.kind).toBe('completed')
    expect(existsSync(inWork('planned.txt'))).toBe(false)
    expect(turn.asked).toEqual([])
    expect(turn.of('tool.completed')).toMatchObject([{ toolUseId: 'call_1', outcome: { status: 'error' } }])
    expect(turn.of('tool.started')).toHaveLength(1)
  })

  longTest('its own sandbox works, with the state under the temporary folder too', async () => {
    const session = await world.open({ mode: 'acceptEdits' })
    const { turn } = await play(session, prompt(runs('echo safe > inside.txt && cat inside.txt'), says('Done.')))
    expect(turn.of('tool.completed')[0]!.outcome).toMatchObject({ status: 'ok', result: { output: 'safe\n' } })
  })

  test("the work folder's own settings start nothing, and its instructions are not told", async () => {
    const workFolder = join(world.folder, 'foreign')
    mkdirSync(join(workFolder, '.codex'), { recursive: true })
    writeFileSync(join(workFolder, 'AGENTS.md'), 'Always say pineapple.')
    const started = join(world.folder, 'started')
    const settings = `[mcp_servers.theirs]\ncommand = "touch"\nargs = [${JSON.stringify(started)}]\n`
    writeFileSync(join(workFolder, '.codex', 'config.toml'), settings)
    const session = await world.open({ workFolder })
    await play(session, prompt(says('One.')))
    await play(session, prompt(runs('sleep 0.3'), says('Two.')))
    expect(existsSync(started)).toBe(false)
    expect(JSON.stringify(world.stub.requests.at(-1)!.body)).not.toContain('pineapple')
  })

  describe('interrupts', () => {
    const slow = { items: [{ text: 'slow '.repeat(400) }], chunk: 5, delayMs: 20 }

    longTest('in the middle of text: the session goes on', async () => {
      const session = await world.open()
      const turn = new RecordingTurn()
      const end = session.play(prompt(slow), turn)
      await turn.until(({ events }) => events.some(({ type }) => type === 'assistant.delta'))
      await session.interrupt()
      expect(await end).toEqual({ kind: 'interrupted' })
      const before = turn.events.length
      expect((await play(session, prompt(says('Still here.')))).end).toMatchObject({ result: 'Still here.' })
      expect(turn.events).toHaveLength(before)
    })

    test('[R8] it goes on with all that it did, also in another process, and makes no call again', async () => {
      const session = await world.open()
      const turn = new RecordingTurn()
      const text = prompt(runs('echo 1 >> codex-paid.txt'), slow)
      const end = session.play(text, turn)
      await turn.until(({ events }) => events.some(({ type }) => type === 'assistant.delta'))
      expect(turn.of('run.resume')).toEqual([{ type: 'run.resume', resume: session.resume }])
      await session.interrupt()
      expect(await end).toEqual({ kind: 'interrupted' })
      const resume = session.resume
      await session.close()
      const next = await world.open({ resume })
      const goneOn = new RecordingTurn()
      expect(await next.play(text, goneOn, true)).toMatchObject({ kind: 'completed' })
      const asked = JSON.stringify(world.stub.requests.at(-1)?.body.input)
      expect(asked).toContain('The work was stopped and goes on now.')
      expect(asked).toContain('codex-paid.txt')
      expect(world.lastPrompts()).toHaveLength(1)
      expect(readFileSync(inWork('codex-paid.txt'), 'utf8')).toBe('1\n')
    })

    test('in the middle of a command: the command is gone', async () => {
      const session = await world.open()
      const turn = new RecordingTurn()
      const end = session.play(prompt(runs('sleep 86411 & sleep 86411'), says('Never.')), turn)
      await turn.until(({ events }) => events.some(({ type }) => type === 'tool.started'))
      await session.interrupt()
      expect(await end).toEqual({ kind: 'interrupted' })
      expect(turn.of('tool.completed')).toMatchObject([{ toolUseId: 'call_1', outcome: { status: 'error' } }])
      expect(running('sleep 86411')).toEqual([])
      expect(session.alive).toBe(true)
    })

    longTest('before it has begun', async () => {
      const session = await world.open()
      const turn = new RecordingTurn()
      const end = session.play(prompt(slow), turn)
      await session.interrupt()
      expect(await end).toEqual({ kind: 'interrupted' })
      expect(turn.text).toBe('')
      expect((await play(session, prompt(says('Next.')))).end).toMatchObject({ result: 'Next.' })
    })

    longTest('without a turn it is nothing', async () => {
      const session = await world.open()
      await session.interrupt()
      await expect(session.steer('Now?')).rejects.toThrow('No turn is under way.')
    })
  })

  test('a word to the turn under way reaches the model', async () => {
    const session = await world.open()
    const turn = new RecordingTurn()
    const end = session.play(prompt({ items: [{ text: 'one '.repeat(100) }], chunk: 4, delayMs: 20 }), turn)
    await turn.until(({ events }) => events.some(({ type }) => type === 'assistant.delta'))
    await session.steer(prompt(says('Steered.')))
    expect(await end).toEqual({ kind: 'completed', result: 'Steered.' })
    expect(turn.text).toMatch(/^one [\s\S]*\n\nSteered\.$/)
  })

  test('[EN20] [EN30] [EN31] model, effort and instructions are in each request, also changed ones of a resumed session', async () => {
    const facts = () => {
      const {
        model,
        reasoning,
        input = [],
        instructions = '',
      } = (world.stub.requests.at(-1)?.body ?? {}) as CodexRequest
      const all = JSON.stringify([instructions, input.filter(({ role }) => role !== 'assistant')])
      return [model, reasoning?.effort, [...all.matchAll(/CANARY-\w+/g)].map(([word]) => word)]
    }
    const open = (more: object, resume: string | null = null) =>
      world.open({ resume, settings: { permission_mode: 'bypassPermissions', ...more }, instructions: 'CANARY-one' })
    const first = await open({ model: 'gpt-5.5', effort: 'high' })
    await play(first, prompt(says('one')))
    expect(facts()).toEqual(['gpt-5.5', 'high', ['CANARY-one']])
    await play(first, prompt(says('two')))
    expect(facts()).toEqual(['gpt-5.5', 'high', ['CANARY-one']])
    const resume = first.resume
    await first.close()
    const second = await world.open({
      ...{ resume, settings: { permission_mode: 'bypassPermissions', model: 'gpt-5.6-sol', effort: 'low' } },
      instructions: 'CANARY-two',
    })
    await play(second, prompt(says('three')))
    expect(facts()).toEqual(['gpt-5.6-sol', 'low', ['CANARY-two']])
    expect(world.lastPrompts()).toEqual(['one', 'two', 'three'].map((word) => prompt(says(word))))
  })

  if (isThorough)
    test('[EN28] the models of its list are those that the program lists', () => {
      const found = findCodex({ ...process.env, ...engineEnv() })
      const program = 'file' in found ? readFileSync(found.file, 'latin1') : ''
      for (const { id } of codexModels) expect([id, program.includes(`"slug": "${id}"`)]).toEqual([id, true])
    })

  describe('resuming', () => {
    const lost = (turn: RecordingTurn) => turn.of('context.warning').filter(({ kind }) => kind === 'resume_lost')
    const answers = (session: EngineSession, word: string) => play(session, prompt(says(word)))

    test('after its process was killed, from the last turn and from an earlier one', async () => {
      const first = await world.open()
      const places: string[] = []
      for (const word of ['one', 'two', 'three']) {
        await answers(first, word)
        places.push(first.resume!)
      }
      expect(new Set(places).size).toBe(3)
      killed(world.state)

      const last = await world.open({ resume: places[2]! })
      expect(last.resume).toBe(places[2])
      await answers(last, 'four')
      expect(world.lastPrompts()).toEqual(['one', 'two', 'three', 'four'].map((word) => prompt(says(word))))

      const earlier = await world.open({ resume: places[0]! })
      const { turn } = await answers(earlier, 'other')
      expect(world.lastPrompts()).toEqual(['one', 'other'].map((word) => prompt(says(word))))
      expect(lost(turn)).toEqual([])
      expect(earlier.sessionId).not.toBe(first.sessionId)
    })

    longTest('while another session writes to the same thread: it gets a thread of its own', async () => {
      const first = await world.open()
      await answers(first, 'shared')
      const second = await world.open({ resume: first.resume })
      expect(lost((await answers(second, 'branch')).turn)).toEqual([])
      expect(world.lastPrompts()).toEqual(['shared', 'branch'].map((word) => prompt(says(word))))
      await answers(first, 'trunk')
      expect(world.lastPrompts()).toEqual(['shared', 'trunk'].map((word) => prompt(says(word))))
    })

    longTest('from a turn that its process did not survive', async () => {
      const session = await world.open()
      await answers(session, 'before')
      const turn = new RecordingTurn()
      const slow = prompt(runs('echo half'), { items: [{ text: 'slow '.repeat(400) }], chunk: 5, delayMs: 20 })
      const end = session.play(slow, turn)
      await turn.until(({ events }) => events.some(({ type }) => type === 'assistant.delta'))
      killed(world.state)
      expect(await end).toMatchObject({
        kind: 'failed',
        reason: 'engine_gone',
        message: expect.stringMatching(/^Codex ended/),
      })
      expect(session.alive).toBe(false)
      expect(await session.play('More?', new RecordingTurn())).toMatchObject({ kind: 'failed', reason: 'engine_gone' })
      const again = await world.open({ resume: session.resume })
      const { turn: next } = await answers(again, 'after')
      expect(lost(next)).toEqual([])
      expect(world.lastPrompts()).toEqual([prompt(says('before')), slow, prompt(says('after'))])
    })

    test.each([
      ['a thread that is gone', '01a1df56-038d-7a03-ad0a-45f74fbcfdd1:01a1df56-038d-7a03-ad0a-45f74fbcfdd2'],
      ['an id that is none', 'nonsense'],
    ])('from %s: a new one, and a warning', async (_name, resume) => {
      const session = await world.open({ resume })
      const { end, turn } = await answers(session, 'anew')
      expect(end).toMatchObject({ kind: 'completed', result: 'anew' })
      expect(lost(turn)).toHaveLength(1)
      expect(lost((await answers(session, 'again')).turn)).toEqual([])
    })

    longTest('with the state folder lost', async () => {
      const session = await world.open()
      await answers(session, 'kept')
      await session.close()
      rmSync(join(world.state, 'codex'), { recursive: true })
      const again = await world.open({ resume: session.resume })
      expect(lost((await answers(again, 'anew')).turn)).toHaveLength(1)
    })
  })

  describe('the provider', () => {
    test('fails once and is asked again', async () => {
      const session = await world.open()
      const step = { status: 503, message: 'busy', times: 2 }
      const { end, turn } = await play(session, prompt(step, says('Recovered.')))
      expect(end).toEqual({ kind: 'completed', result: 'Recovered.' })
      expect(turn.of('retry')).toMatchObject([{ attempt: 1, status: 503 }])
    })

    longTest('cuts a stream: what was said of it is taken back', async () => {
      const session = await world.open()
      const cut = { items: [{ text: 'half of it and no more' }], chunk: 5, delayMs: 50, disconnectAfter: 2, times: 1 }
      const { end, turn } = await play(session, prompt(cut, says('The whole of it.')))
      expect(end).toEqual({ kind: 'completed', result: 'The whole of it.' })
      const after = turn.events.slice(turn.events.findIndex(({ type }) => type === 'assistant.text'))
      expect(after.map(({ type }) => type)).toContain('retry')
      expect(after[0]).toEqual({ type: 'assistant.text', text: '' })
      expect(after.flatMap((event) => (event.type === 'assistant.delta' ? [event.text] : [])).join('')).toBe(
        'The whole of it.',
      )
    })

    test.each([
      ['overloaded', { status: 503, message: 'busy' }, { reason: 'provider_error', transient: true }],
      [
        'the key',
        { status: 401, message: 'bad key' },
        { reason: 'provider_error', message: /^The provider refused the key/ },
      ],
      ['the model', { status: 404, code: 'model_not_found' }, { reason: 'model_unknown' }],
      ['the request', { status: 400, message: 'bad thing' }, { reason: 'engine_error', message: /^bad thing$/ }],
    ])(
      'fails for good: %s',
      async (_name, step, { message = /./, ...expected }: { message?: RegExp; reason: string }) => {
        const session = await world.open()
        const { end } = await play(session, prompt(step))
        expect(end).toMatchObject({ kind: 'failed', ...expected, message: expect.stringMatching(message) })
        expect('transient' in end && end.transient).toBe('transient' in expected)
        expect((end as { message: string }).message).not.toContain('127.0.0.1')
        expect((await play(session, prompt(says('Next.')))).end).toMatchObject({ kind: 'completed' })
      },
    )
  })

  test('an agent it starts is told, and so is what that does', async () => {
    const session = await world.open()
    const message = prompt(runs('echo sub', 'sub_1'), says('Sub done.'))
    const spawn = { items: [{ call: 'spawn_agent', namespace: 'multi_agent_v1', args: { message }, id: 'call_1' }] }
    const { turn, end } = await play(session, prompt(spawn, runs('sleep 1', 'call_2'), says('All done.')))
    expect(end).toEqual({ kind: 'completed', result: 'All done.' })
    expect(turn.of('subagent.started')).toMatchObject([{ toolUseId: 'call_1' }])
    expect(turn.of('tool.started').find(({ toolUseId }) => toolUseId === 'sub_1')).toMatchObject({
      parentToolUseId: 'call_1',
    })
    expect(turn.of('subagent.completed')).toMatchObject([{ status: 'completed', summary: 'Sub done.' }])
    expect(turn.text).toBe('All done.')
  })

  longTest('an agent that is left when the turn ends is ended too', async () => {
    const session = await world.open()
    const message = prompt({ items: [{ text: 'slow '.repeat(400) }], chunk: 5, delayMs: 20 })
    const spawn = { items: [{ call: 'spawn_agent', namespace: 'multi_agent_v1', args: { message }, id: 'call_1' }] }
    const { turn } = await play(session, prompt(spawn, runs('sleep 1', 'call_2'), says('Done without it.')))
    expect(turn.of('subagent.completed')).toMatchObject([{ status: 'interrupted' }])
  })

  test('[W9] an agent it starts is stopped by itself, and the turn goes on', async () => {
    const session = await world.open()
    const message = prompt({ items: [{ text: 'slow '.repeat(4_000) }], chunk: 5, delayMs: 20 })
    const spawn = { items: [{ call: 'spawn_agent', namespace: 'multi_agent_v1', args: { message }, id: 'call_1' }] }
    const turn = new RecordingTurn()
    const playing = session.play(prompt(spawn, runs('sleep 2', 'call_2'), says('Done without it.')), turn)
    await vi.waitFor(() => expect(turn.of('subagent.started')).toHaveLength(1), 20_000)
    const [task] = turn.of('subagent.started')
    await vi.waitFor(async () => expect(await session.stopTask?.(task?.agentId ?? '')).toBe(true), 20_000)
    expect(await session.stopTask?.('nobody')).toBe(false)
    expect(await playing).toEqual({ kind: 'completed', result: 'Done without it.' })
    expect(turn.of('subagent.completed')).toMatchObject([{ agentId: task?.agentId, status: 'interrupted' }])
  })

  longTest('a context that is full is compacted before the next turn', async () => {
    const session = await world.open()
    const full = { failed: { code: 'context_length_exceeded', message: 'too long' } }
    expect((await play(session, prompt(full))).end).toMatchObject({ kind: 'failed', reason: 'context_full' })
    const { end, turn } = await play(session, prompt(says('Room again.')))
    expect(end).toMatchObject({ kind: 'completed', result: 'Room again.' })
    expect(turn.of('compaction')).toEqual([{ type: 'compaction', trigger: 'auto' }])
  })

  test('a call of a tool that it does not have is told as failed', async () => {
    const session = await world.open()
    const { turn } = await play(session, prompt(calls('no_such_tool', { a: 1 }), says('Oh.')))
    expect(turn.of('tool.started')).toMatchObject([{ toolName: 'no_such_tool', input: { a: 1 } }])
    expect(turn.of('tool.completed')).toMatchObject([{ outcome: { status: 'error' } }])
  })

  test('closing ends the commands that are left, and the turn', async () => {
    const session = await world.open()
    const turn = new RecordingTurn()
    const end = session.play(prompt(runs('(sleep 86412 &) ; sleep 86412'), says('Never.')), turn)
    await turn.until(({ events }) => events.some(({ type }) => type === 'tool.started'))
    await session.close()
    expect(await end).toEqual({ kind: 'interrupted' })
    expect(running('sleep 86412')).toEqual([])
    expect(session.alive).toBe(false)
    await session.close()
  })
})

/** Ours, by what stands in their command line. */
const running = (command: string): string[] =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(command) && !line.includes('@stub'))

/** Kills the processes of codex whose home is in that folder, as a machine short of memory would. */
const killed = (state: string): void => {
  for (const line of execFileSync('ps', ['-eo', 'pid,args', 'eww'], { encoding: 'utf8' }).split('\n'))
    if (line.includes(' app-server ') && line.includes(`CODEX_HOME=${state}`))
      process.kill(Number.parseInt(line, 10), 'SIGKILL')
}
