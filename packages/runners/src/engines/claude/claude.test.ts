// The real SDK and CLI, behind the real runner, against a stub of the provider.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { longTest } from '../../../../../scripts/long-test.ts'
import { isThorough, variants } from '../../../../../scripts/variants.ts'
import { findPackage } from '../../engine-table/engine-packages.ts'
import { startTimeOf } from '../../process/process-table.ts'
import type { RunnerEvent } from '../../protocol/protocol.ts'
import { withoutIsolation } from '../../sandboxes/isolation/engine-start.suite.ts'
import { caller, type RunReading } from '../../server/runner.suite.ts'
import { SandboxRunner } from '../../server/sandbox-runner.ts'
import { engineEnv, noEngines } from '../engines.suite.ts'
import { makeHostileRepository, putFile } from '../repository.suite.ts'
import { type AnthropicStub, startAnthropicStub, stubbed } from './anthropic-stub.suite.ts'
import { claudeEngine } from './claude.ts'
import { claudeDescription, claudeModels } from './description.ts'

describe.skipIf(noEngines !== null)('Claude Code', () => {
  let stub: AnthropicStub
  let runner: SandboxRunner
  let folder: string
  const started: SandboxRunner[] = []
  const work = () => join(folder, 'work')
  const start = async () => {
    const env = { ...process.env, ...engineEnv(), CLAUDE_CODE_MAX_RETRIES: '2', IS_SANDBOX: '1' }
    runner = await SandboxRunner.start({
      engines: [claudeEngine(env)],
      workFolder: work(),
      stateFolder: join(folder, 'state'),
      ...withoutIsolation(folder),
      env: { ANTHROPIC_API_KEY: 'the-real-key', ANTHROPIC_BASE_URL: stub.url },
    })
    started.push(runner)
    return caller(runner.url)
  }
  beforeAll(async () => {
    stub = await startAnthropicStub()
    folder = mkdtempSync(join(tmpdir(), 'bridle-claude-'))
  })
  afterEach(() => Promise.all(started.splice(0).map((each) => each.close())))
  afterAll(async () => {
    await stub?.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })

  const bash = (command: string, id = 'toolu_1') => ({ tool_use: 'Bash', id, input: { command, description: 'x' } })
  const done = { blocks: [{ text: 'Done.' }] }
  const resumeOf = async (reading: RunReading) => ((await reading.end) as { resume?: string }).resume
  const of = <T extends RunnerEvent['type']>(reading: RunReading, type: T) =>
    reading.events().filter((event): event is Extract<RunnerEvent, { type: T }> => event.type === type)

  test('[R3] streams text and thoughts, runs a tool, tells usage and cost; a second turn is warm and remembers', async () => {
    const runs = await start()
    const first = await runs.query({
      requestId: 'one',
      prompt: stubbed(
        { blocks: [{ thinking: 'Let me see.' }, { text: 'Looking.' }, bash('echo hi > out.txt; cat out.txt')] },
        done,
      ),
      settings: { permission_mode: 'bypassPermissions' },
    })
    expect(await first.end).toMatchObject({ type: 'run.completed', result: 'Done.', sessionId: expect.any(String) })
    expect(first.text()).toBe('Looking.\n\nDone.')
    expect(readFileSync(join(work(), 'out.txt'), 'utf8')).toBe('hi\n')
    const types = first.events().map(({ type }) => type)
    expect(types[0]).toBe('run.started')
    expect(types.indexOf('thinking.delta')).toBeLessThan(types.indexOf('assistant.delta'))
    expect(types.indexOf('tool.started')).toBeLessThan(types.indexOf('tool.completed'))
    expect(of(first, 'tool.completed')).toMatchObject([
      {
        toolUseId: 'toolu_1',
        toolName: 'Bash',
        outcome: { status: 'ok', result: 'hi', elapsedMs: expect.any(Number) },
      },
    ])
    // Each step, and what the turn's own sums add to that.
    const usage = of(first, 'usage')
    expect(usage.slice(0, 2)).toMatchObject([
      { inputTokens: 100, outputTokens: 20, estimated: true },
      { inputTokens: 100, outputTokens: 20, estimated: true, contextUsagePct: 0.012 },
    ])
    expect(usage.slice(2).filter(({ totalTokens, costUsd }) => totalTokens !== 0 || costUsd !== 0)).toEqual([])
    expect(of(first, 'hook').map(({ hook }) => hook)).toEqual(
      expect.arrayContaining(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop']),
    )
    expect(of(first, 'tool.batch')).toMatchObject([{ toolUseIds: ['toolu_1'] }])
    expect(first.frames.map(({ id }) => id)).toEqual(first.frames.map((_, index) => index + 1))

    const asked = stub.requests.length
    const second = await runs.query({
      prompt: stubbed({ blocks: [{ text: 'Again.' }] }),
      resume: await resumeOf(first),
      settings: { permission_mode: 'bypassPermissions' },
    })
    expect(await second.end).toMatchObject({ type: 'run.completed', result: 'Again.' })
    // The usage of this turn alone.
    expect(of(second, 'usage')).toMatchObject([{ inputTokens: 100, outputTokens: 20, contextUsagePct: 0.012 }])
    expect(JSON.stringify(stub.requests.slice(asked).at(-1)?.body.messages)).toContain('Looking.')
  })

  test('[EN20] [EN30] [EN31] instructions, model and effort are in each request, also changed ones of a resumed session', async () => {
    const runs = await start()
    const facts = () => {
      const { body } = stub.requests.findLast(({ isAux }) => !isAux) ?? {}
      const { model, system, output_config: output } = body as unknown as { [name: string]: unknown }
      const canaries = [...JSON.stringify(system).matchAll(/CANARY-\w+/g)].map(([word]) => word)
      return [model, (output as { effort?: string } | undefined)?.effort, canaries]
    }
    const prompt = (answer: string) => stubbed({ blocks: [{ text: answer }] })
    const first = await runs.query({
      ...{ requestId: 'told-1', prompt: prompt('First.'), instructions: 'CANARY-one' },
      settings: { model: 'claude-opus-5-5', effort: 'high' },
    })
    await first.end
    expect(facts()).toEqual(['claude-opus-5-5', 'high', ['CANARY-one']])
    const second = await runs.query({
      ...{ requestId: 'told-2', prompt: prompt('Second.'), instructions: 'CANARY-two', resume: await resumeOf(first) },
      settings: { model: 'claude-sonnet-5-5', effort: 'low' },
    })
    await second.end
    expect(facts()).toEqual(['claude-sonnet-5-5', 'low', ['CANARY-two']])
    const third = await runs.query({ requestId: 'told-3', prompt: prompt('Third.'), resume: await resumeOf(second) })
    expect(await third.end).toMatchObject({ result: 'Third.' })
    expect(facts()[2]).toEqual([])
    expect(JSON.stringify(stub.requests.findLast(({ isAux }) => !isAux)?.body.messages)).toContain('First.')
  })

  if (isThorough)
    test('[EN28] the models of its list are those that the SDK knows', () => {
      const { folder: at = '' } = findPackage(claudeDescription.packageName, engineEnv()) ?? {}
      const sdk = readFileSync(join(at, 'sdk.mjs'), 'utf8')
      for (const { id } of claudeModels) expect([id, sdk.includes(`"${id}"`)]).toEqual([id, true])
    })

  test('[OH106] reads a file that came with its prompt, and asks nobody', async () => {
    const runs = await start()
    const { body } = await runs.ask('/files/file-1/note.txt', { method: 'PUT', body: 'canary of the file' })
    const { path } = body as { path: string }
    const read = { tool_use: 'Read', id: 'toolu_read', input: { file_path: join(work(), path) } }
    const reading = await runs.query({ requestId: 'file', prompt: stubbed({ blocks: [read] }, done) })
    expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'Done.' })
    expect(of(reading, 'approval.required')).toEqual([])
    expect(JSON.stringify(of(reading, 'tool.completed'))).toContain('canary of the file')
  })

  test('[EN8] [EN9] [EN10] a hostile repository gives text and nothing else, and a change counts from the next turn', async () => {
    makeHostileRepository(work(), folder)
    const runs = await start()
    const repository = 'instructions'
    const asked = () => JSON.stringify(stub.requests.filter(({ isAux }) => !isAux).at(-1)?.body)
    const first = await runs.query({ repository, prompt: stubbed({ blocks: [{ text: 'Hello.' }] }) })
    expect(await first.end).toMatchObject({ type: 'run.completed', result: 'Hello.' })
    const request = asked()
    for (const text of [
      'Contents of CLAUDE.md:\\n\\nSay hello.',
      'Contents of docs/style.md:\\n\\nUse three spaces.',
      '- release: Makes releases. (.claude/skills/release/SKILL.md)',
      '- /now: Does it now. (.claude/commands/now.md)',
      'helper: Helps with anything.',
    ])
      expect(request).toContain(text)
    expect(request).not.toMatch(/canary|root:x|mcp__evil/)
    expect(of(first, 'instructions.loaded')).toMatchObject([
      {
        left_out: [{ path: '@../notes.md' }, { path: '@~/notes.md' }, { path: '@/etc/passwd' }, { path: 'AGENTS.md' }],
      },
    ])

    // A skill is used by reading it; its script asks as any other command, and so do those of a sub-agent.
    const read = {
      tool_use: 'Read',
      id: 'toolu_r',
      input: { file_path: join(work(), '.claude/skills/release/SKILL.md') },
    }
    const task = stubbed({ blocks: [bash('touch pwned.txt', 'toolu_s')] }, done)
    const agent = { subagent_type: 'helper', description: 'x', prompt: task }
    const second = await runs.query({
      ...{ requestId: 'used', repository, resume: await resumeOf(first) },
      prompt: stubbed(
        { blocks: [read] },
        { blocks: [bash('sh .claude/skills/release/release.sh', 'toolu_b')] },
        { blocks: [{ tool_use: 'Agent', id: 'toolu_a', input: agent }] },
        done,
      ),
    })
    const approvals = () => of(second, 'approval.required').map(({ toolUseId }) => toolUseId)
    for (const id of ['toolu_b', 'toolu_s']) {
      await expect.poll(approvals, { timeout: 30_000 }).toContain(id)
      await runs.post(`/runs/used/approvals/${id}`, { decision: 'denied', reason: 'No.' })
    }
    expect((await second.end)?.type).toBe('run.completed')
    expect(approvals()).toEqual(['toolu_b', 'toolu_s'])
    expect(JSON.stringify(of(second, 'tool.completed'))).toContain('Run ./release.sh.')

    putFile(work(), 'CLAUDE.md', 'Say goodbye.')
    const third = await runs.query({
      ...{ repository, resume: await resumeOf(second) },
      prompt: `/now ${stubbed({ blocks: [{ text: 'Bye.' }] })}`,
    })
    expect(await third.end).toMatchObject({ type: 'run.completed', result: 'Bye.' })
    expect(asked()).toContain('Contents of CLAUDE.md:\\n\\nSay goodbye.')
    expect(asked()).not.toContain('Say hello.')
    // The engine remembers what came before.
    expect(asked()).toContain('Run ./release.sh.')
    expect(asked()).toContain('/now @stub')

    // Claude Code passes on commands that it does not know itself.
    const bare = await runs.query({ repository, resume: await resumeOf(third), prompt: '/now' })
    expect(await bare.end).toMatchObject({ type: 'run.completed', result: 'Hello from the stub.' })

    const none = await runs.query({ prompt: stubbed({ blocks: [{ text: 'Alone.' }] }) })
    await none.end
    expect(of(none, 'instructions.loaded')).toEqual([])
    expect(asked()).not.toMatch(/Say goodbye|helper: Helps/)
    expect(readdirSync(work())).not.toContain('pwned.txt')
    expect(readdirSync(folder)).not.toContain('pwned.txt')
    rmSync(work(), { recursive: true })
  })

  test('[R7] the key is the relay’s: the engine and its tools never have it', async () => {
    const runs = await start()
    const before = stub.requests.length
    const reading = await runs.query({
      prompt: stubbed({ blocks: [bash('env; cat /proc/$PPID/environ | tr "\\0" "\\n"')] }, done),
      settings: { permission_mode: 'bypassPermissions' },
    })
    await reading.end
    expect(JSON.stringify(reading.events())).not.toContain('the-real-key')
    expect(JSON.stringify(of(reading, 'tool.completed'))).toContain('added-by-the-relay')
    const keys = stub.requests.slice(before).map(({ headers }) => headers['x-api-key'])
    expect(new Set(keys)).toEqual(new Set(['the-real-key']))
  })

  longTest('[R5] the name of a file is no reason for an approval', async () => {
    const runs = await start()
    const write = { tool_use: 'Write', id: 'toolu_1', input: { file_path: join(work(), 'named.txt'), content: 'x' } }
    const reading = await runs.query({ requestId: 'names', prompt: stubbed({ blocks: [write] }, done) })
    expect(await reading.first('approval.required')).toMatchObject({ reason: 'Write asks for permission.' })
    await runs.post('/runs/names/approvals/toolu_1', { decision: 'denied', reason: 'Not today.' })
    await reading.end
  })

  const edited = { command: 'echo edited > verdict.txt', description: 'x' }
  test.each([
    ...variants<[string, object, string, string | null]>(
      [
        ['edited', { decision: 'approved', input: edited }, 'ok', 'edited'],
        ['denied', { decision: 'denied', reason: 'Not today.' }, 'denied', null],
      ],
      [['allowed', { decision: 'approved' }, 'ok', 'asked']],
    ),
  ])('[R5] an approval: %s', async (_name, verdict, status, content) => {
    rmSync(join(work(), 'verdict.txt'), { force: true })
    const runs = await start()
    const reading = await runs.query({
      requestId: 'asks',
      prompt: stubbed({ blocks: [bash('echo asked > verdict.txt')] }, done),
    })
    expect(await reading.first('approval.required')).toMatchObject({
      toolUseId: 'toolu_1',
      toolName: 'Bash',
      input: { command: 'echo asked > verdict.txt' },
    })
    expect(existsSync(join(work(), 'verdict.txt'))).toBe(false)
    expect(await runs.post('/runs/asks/approvals/toolu_1', verdict)).toMatchObject({ status: 200 })
    expect(await reading.end).toMatchObject({ type: 'run.completed' })
    expect(of(reading, 'tool.completed')).toMatchObject([{ outcome: { status } }])
    if (status === 'denied') expect(of(reading, 'tool.completed')[0]?.outcome.reason).toBe('Not today.')
    const file = join(work(), 'verdict.txt')
    expect(existsSync(file) ? readFileSync(file, 'utf8').trim() : null).toBe(content)
  })

  const databases = {
    question: 'Which database shall I use?',
    header: 'Database',
    options: [
      { label: 'SQLite', description: 'One file.' },
      { label: 'PostgreSQL', description: 'A server.', preview: 'docker run postgres' },
    ],
    multiSelect: false,
  }
  const features = {
    question: 'Which features?',
    header: 'Features',
    options: ['Search', 'Import, export', 'A "draft"'].map((label) => ({ label, description: label })),
    multiSelect: true,
  }
  const question = (...questions: object[]) => ({
    blocks: [{ tool_use: 'AskUserQuestion', id: 'toolu_1', input: { questions } }],
  })
  /** The newest result of a tool, as the model got it. */
  const lastResult = () => {
    const request = stub.requests.filter(({ isAux }) => !isAux).at(-1)
    const blocks = (request?.body.messages ?? []).flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    return blocks.findLast(({ type }) => type === 'tool_result') as { content?: unknown; is_error?: boolean }
  }

  test('[R29] questions are asked with all that they offer, and the model gets the answers', async () => {
    const runs = await start()
    const reading = await runs.query({ requestId: 'asks', prompt: stubbed(question(databases, features), done) })
    expect(await reading.first('approval.required')).toEqual({
      ...{ type: 'approval.required', kind: 'question', toolUseId: 'toolu_1', toolName: 'AskUserQuestion' },
      input: { questions: [databases, features] },
      reason: 'Which database shall I use? Which features?',
      questions: [
        {
          ...{ id: 'q1', header: 'Database', question: 'Which database shall I use?', allow_free_text: true },
          options: [
            { label: 'SQLite', description: 'One file.' },
            { label: 'PostgreSQL', description: 'A server.\n\ndocker run postgres' },
          ],
        },
        {
          ...{ id: 'q2', header: 'Features', question: 'Which features?', allow_free_text: true, multi_select: true },
          options: features.options,
        },
      ],
    })
    const answers = { q1: 'SQLite', q2: ['Search', 'Import, export', 'A "draft"'] }
    await runs.post('/runs/asks/approvals/toolu_1', { decision: 'approved', answers })
    expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'Done.' })
    const answered = [
      '"Which database shall I use?"="SQLite"',
      '"Which features?"="Search, "Import, export", "A \\"draft\\"""',
    ]
    expect(lastResult().content).toBe(
      `Your questions have been answered: ${answered.join(', ')}. You can now continue with these answers in mind.`,
    )
  })

  test.each([
    ...variants<[string, object, string]>(
      [],
      [
        ['declined', { decision: 'denied' }, 'The user declined to answer.'],
        ['declined with a reason', { decision: 'denied', reason: 'Ask me later.' }, 'Ask me later.'],
        ['approved without an answer', { decision: 'approved' }, 'The question was approved without an answer.'],
        [
          'answered twice',
          { decision: 'approved', answers: { q1: ['SQLite', 'PostgreSQL'] } },
          'The answer does not fit. Question "q1" takes one answer, not a list.',
        ],
      ],
    ),
  ])('[R29] a question that is %s is denied with the reason', async (_name, answer, reason) => {
    const runs = await start()
    const reading = await runs.query({ requestId: 'asks', prompt: stubbed(question(databases), done) })
    await reading.first('approval.required')
    await runs.post('/runs/asks/approvals/toolu_1', answer)
    expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'Done.' })
    expect(lastResult()).toMatchObject({ content: reason, is_error: true })
    expect(of(reading, 'tool.completed')).toMatchObject([{ outcome: { status: 'denied', reason } }])
  })

  if (isThorough) {
    test('[R29] a text of the person’s own is an answer', async () => {
      const runs = await start()
      const reading = await runs.query({ requestId: 'text', prompt: stubbed(question(databases), done) })
      await reading.first('approval.required')
      await runs.post('/runs/text/approvals/toolu_1', { decision: 'approved', answers: { q1: 'Neither.' } })
      await reading.end
      expect(lastResult().content).toContain('The user answered: "Which database shall I use?"="Neither."')
    })

    test('[R29] a caller that knows no questions answers in the input', async () => {
      const runs = await start()
      const reading = await runs.query({ requestId: 'input', prompt: stubbed(question(databases), done) })
      await reading.first('approval.required')
      const input = { questions: [databases], answers: { [databases.question]: 'SQLite' } }
      await runs.post('/runs/input/approvals/toolu_1', { decision: 'approved', input })
      await reading.end
      expect(lastResult().content).toContain('"Which database shall I use?"="SQLite"')
    })

    test('[R30] a question that cannot be shown is an error that the model reads, and the run goes on', async () => {
      const runs = await start()
      const long = { ...databases, options: [{ label: 'x'.repeat(300), description: '' }, databases.options[0]] }
      const reading = await runs.query({ requestId: 'bad', prompt: stubbed(question(long), done) })
      expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'Done.' })
      expect(of(reading, 'approval.required')).toEqual([])
      const problem = 'The label of option 1 of question 1 has 300 characters; at most 200 are allowed.'
      expect(of(reading, 'context.warning')).toMatchObject([
        { kind: 'question_refused', message: `A question of the engine could not be asked. ${problem}` },
      ])
      expect(lastResult()).toMatchObject({ content: `The question was not asked. ${problem}`, is_error: true })
    })

    test('[R21] no question is answered where the caller answers no approvals', async () => {
      const runs = await start()
      const reading = await runs.query({ prompt: stubbed(question(databases), done) })
      expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'Done.' })
      expect(lastResult().content).toMatch(/^Questions cannot be answered here/)
    })

    test('[R31] an approved plan ends plan mode for its turn, and the next turn plans again', async () => {
      const runs = await start()
      const settings = { permission_mode: 'plan' }
      const plan = '# The plan\n\n1. Write `planned.txt`.'
      const write = (file: string, content: string, id: string) => ({
        blocks: [{ tool_use: 'Write', id, input: { file_path: file, content } }],
      })
      const asks = { blocks: [{ tool_use: 'ExitPlanMode', id: 'toolu_exit', input: {} }] }
      // Only the engine knows where it keeps the plan.
      const first = await runs.query({ requestId: 'p0', prompt: stubbed({ blocks: [{ text: 'Hi.' }] }), settings })
      await first.end
      const planFile = JSON.stringify(stub.requests.at(-1)?.body).match(/[^"\\ ]*plans\/[^"\\ ]*\.md/)?.[0] ?? ''
      const planned = stubbed(
        write(planFile, plan, 'toolu_plan'),
        asks,
        write(join(work(), 'planned.txt'), 'x', 'toolu_write'),
        done,
      )
      const reading = await runs.query({ requestId: 'p1', prompt: planned, settings, resume: await resumeOf(first) })
      const approve = (run: string, id: string) => runs.post(`/runs/${run}/approvals/${id}`, { decision: 'approved' })
      await vi.waitFor(() => {
        const asked = of(reading, 'approval.required').map(({ toolUseId }) => toolUseId)
        void Promise.all(asked.filter((id) => id !== 'toolu_exit').map((id) => approve('p1', id)))
        expect(asked).toContain('toolu_exit')
      }, 20_000)
      const asked = of(reading, 'approval.required').find(({ toolUseId }) => toolUseId === 'toolu_exit')
      expect(asked).toMatchObject({
        toolName: 'ExitPlanMode',
        input: { plan },
        reason: 'Claude Code has a plan, and asks to carry it out.',
      })
      expect(existsSync(join(work(), 'planned.txt'))).toBe(false)
      await approve('p1', 'toolu_exit')
      await vi.waitFor(
        () => expect(of(reading, 'approval.required').map(({ toolUseId }) => toolUseId)).toContain('toolu_write'),
        20_000,
      )
      await approve('p1', 'toolu_write')
      expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'Done.' })
      expect(readFileSync(join(work(), 'planned.txt'), 'utf8')).toBe('x')

      await runs.query({ prompt: stubbed(done), settings, resume: await resumeOf(reading) }).then(({ end }) => end)
      const next = stub.requests
        .filter(({ isAux }) => !isAux)
        .at(-1)
        ?.body.messages?.at(-1)
      expect(JSON.stringify(next)).toContain('Plan mode')
    })
  }

  test('[R4] a call waits until it is acknowledged', async () => {
    const runs = await start()
    const reading = await runs.query({
      requestId: 'acks',
      acknowledges: true,
      prompt: stubbed({ blocks: [bash('touch acknowledged.txt')] }, done),
      settings: { permission_mode: 'bypassPermissions' },
    })
    await reading.first('tool.started')
    // A while in which it would have run.
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(existsSync(join(work(), 'acknowledged.txt'))).toBe(false)
    const frame = reading.frames.find(({ event }) => event.type === 'tool.started')?.id
    await runs.post('/runs/acks/ack', { frame })
    expect(await reading.end).toMatchObject({ type: 'run.completed' })
    expect(existsSync(join(work(), 'acknowledged.txt'))).toBe(true)
  })

  test.each([
    ...variants<[string, string, 'assistant.delta' | 'tool.started']>(
      [['in a tool', stubbed({ blocks: [bash('tail -f /dev/null')] }, done), 'tool.started']],
      [['in text', stubbed({ blocks: [{ text: 'word '.repeat(2000) }], chunk: 5, delayMs: 20 }), 'assistant.delta']],
    ),
  ])('[R6] a cancel %s stops it, and the next turn goes on from there', async (_name, prompt, when) => {
    const runs = await start()
    const settings = { permission_mode: 'bypassPermissions' }
    const reading = await runs.query({ requestId: 'stops', prompt, settings })
    await reading.first(when)
    const { status, body } = await runs.post('/runs/stops/cancel')
    expect([status, body]).toEqual([200, { stopped: true, resume: expect.any(String) }])
    expect(await reading.end).toMatchObject({ type: 'run.error', reason: 'cancelled' })
    expect((await runs.ask('/health')).body).toMatchObject({ busy: false })
    const next = await runs.query({
      prompt: stubbed({ blocks: [{ text: 'Here again.' }] }),
      resume: (body as { resume: string }).resume,
      settings,
    })
    expect(await next.end).toMatchObject({ type: 'run.completed', result: 'Here again.' })
    expect(JSON.stringify(stub.requests.at(-1)?.body.messages)).toContain(
      when === 'tool.started' ? 'tail -f' : 'word word',
    )
  })

  test('[R8] stopped in its first turn, it goes on with all that it did, and makes no call again', async () => {
    const runs = await start()
    const settings = { permission_mode: 'bypassPermissions' }
    const prompt = `PAY ${stubbed(
      { blocks: [bash('echo 1 >> paid.txt', 'toolu_1')] },
      { blocks: [bash('echo 2 >> paid.txt', 'toolu_2')] },
      // Slow the first time, so that it can be stopped in the middle.
      { blocks: [{ text: 'word '.repeat(400) }], chunk: 5, delayMs: 50, times: 1 },
    )}`
    const reading = await runs.query({ requestId: 'paused', prompt, settings })
    await reading.first('assistant.delta')
    // The handle is reported before the turn ends, so that the next attempt can continue after any stop.
    const told = of(reading, 'run.resume').map(({ resume }) => resume)
    expect(told.length).toBeGreaterThanOrEqual(2)
    const { body } = await runs.post('/runs/paused/cancel')
    const { resume } = body as { resume: string }
    expect(resume.split('/')[0]).toBe(told[0]?.split('/')[0])
    for (const from of [resume, told.at(-1)]) {
      const asked = stub.requests.length
      const next = await runs.query({ prompt, resume: from, continues: true, settings })
      expect(await next.end).toMatchObject({ type: 'run.completed' })
      const said = JSON.stringify(stub.requests.slice(asked).find(({ isAux }) => !isAux)?.body.messages)
      expect(
        ['toolu_1', 'toolu_2', 'The work was stopped and goes on now.'].filter((word) => !said.includes(word)),
      ).toEqual([])
      // The prompt stands there once, as it was asked.
      expect(said.split('PAY ').length).toBe(2)
    }
    expect(readFileSync(join(work(), 'paid.txt'), 'utf8')).toBe('1\n2\n')
  })

  test('[R8] resumes after the runner is gone; from an earlier turn as from the last', async () => {
    const before = await start()
    const first = await before.query({ prompt: `FIRST ${stubbed({ blocks: [{ text: 'One.' }] })}` })
    const afterFirst = await resumeOf(first)
    const second = await before.query({
      prompt: `SECOND ${stubbed({ blocks: [{ text: 'Two.' }] })}`,
      resume: afterFirst,
    })
    const afterSecond = await resumeOf(second)
    await runner.close()
    const seen = async (resume: string | undefined) => {
      const runs = await start()
      const reading = await runs.query({ prompt: stubbed({ blocks: [{ text: 'Three.' }] }), resume })
      expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'Three.' })
      const said = JSON.stringify(stub.requests.filter(({ isAux }) => !isAux).at(-1)?.body.messages)
      return ['FIRST', 'SECOND'].filter((word) => said.includes(word))
    }
    expect(await seen(afterSecond)).toEqual(['FIRST', 'SECOND'])
    expect(await seen(afterFirst)).toEqual(['FIRST'])
  })

  test('[R8] a memory that is lost is told, and the run goes on without it', async () => {
    const runs = await start()
    const resume = '0b0b0b0b-0b0b-4b0b-8b0b-0b0b0b0b0b0b/0c0c0c0c-0c0c-4c0c-8c0c-0c0c0c0c0c0c'
    // The engine cannot continue a turn that it forgot: it gets the prompt again.
    const reading = await runs.query({ prompt: stubbed({ blocks: [{ text: 'Anew.' }] }), resume, continues: true })
    expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'Anew.' })
    expect(of(reading, 'context.warning')).toMatchObject([{ kind: 'resume_lost' }])
  })

  test('[R9] an overloaded provider is asked again, and it is told', async () => {
    const runs = await start()
    const reading = await runs.query({
      prompt: stubbed({ status: 529, errorType: 'overloaded_error', times: 1, blocks: [{ text: 'At last.' }] }),
    })
    expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'At last.' })
    expect(of(reading, 'retry')).toMatchObject([{ attempt: 1, status: 529 }])
    // The number of tries that the engine announces does not always hold.
    expect(of(reading, 'retry')[0]).not.toHaveProperty('maxRetries')
  })

  longTest('[R9] a stream that is cut is said again from its beginning, and nothing stands twice', async () => {
    const runs = await start()
    const text = 'a text that is long enough to be cut in the middle of it, and to be shown in part before that'
    const reading = await runs.query({
      prompt: stubbed({ blocks: [{ text }], chunk: 8, delayMs: 30, disconnectAfter: 6, times: 1 }),
    })
    expect(await reading.end).toMatchObject({ type: 'run.completed' })
    expect(reading.text()).toBe(text)
    expect(of(reading, 'retry').length).toBeGreaterThan(0)
  })

  test.each([
    ...variants<[string, object, string]>(
      [
        [
          'a key that is refused',
          { status: 401, errorType: 'authentication_error', message: 'invalid x-api-key' },
          'key_refused',
        ],
      ],
      [
        [
          'a model that is unknown',
          { status: 404, errorType: 'not_found_error', message: 'model: nope' },
          'model_unknown',
        ],
        ['an overload that stays', { status: 529, errorType: 'overloaded_error' }, 'provider'],
      ],
    ),
  ])('[R9] %s is one error that says so', async (_name, turn, reason) => {
    const runs = await start()
    const reading = await runs.query({ prompt: stubbed(turn), settings: { model: 'claude-nope' } })
    expect(await reading.end).toMatchObject({ type: 'run.error', reason, message: expect.stringMatching(/\w{4}/) })
    expect(reading.events().filter(({ type }) => type === 'run.error')).toHaveLength(1)
    expect((await runs.ask('/health')).body).toMatchObject({ busy: false })
  })

  test('[R9] a budget that is spent ends it', async () => {
    const runs = await start()
    const step = { blocks: [bash('true')], usage: { input_tokens: 500_000, output_tokens: 50_000 } }
    const settings = { max_budget_usd: 0.5, permission_mode: 'bypassPermissions' }
    const reading = await runs.query({ prompt: stubbed(step, step, done), settings })
    expect(await reading.end).toMatchObject({ type: 'run.error', reason: 'budget' })
  })

  test('[R3] an agent that it delegates to is told with its own calls', async () => {
    const runs = await start()
    const below = stubbed({ blocks: [bash('echo below', 'toolu_below')] }, { blocks: [{ text: 'From below.' }] })
    const call = {
      tool_use: 'Agent',
      id: 'toolu_agent',
      input: { description: 'd', prompt: below, subagent_type: 'general-purpose' },
    }
    const reading = await runs.query({
      prompt: stubbed({ blocks: [call] }, done),
      settings: { permission_mode: 'bypassPermissions' },
    })
    expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'Done.' })
    expect(reading.text()).toBe('Done.')
    expect(of(reading, 'subagent.started')).toMatchObject([{ toolUseId: 'toolu_agent', agentType: 'general-purpose' }])
    expect(of(reading, 'subagent.completed')).toMatchObject([{ status: 'completed' }])
    expect(of(reading, 'tool.started').map(({ toolUseId, parentToolUseId }) => [toolUseId, parentToolUseId])).toEqual([
      ['toolu_agent', undefined],
      ['toolu_below', 'toolu_agent'],
    ])
    expect(of(reading, 'tool.completed').map(({ toolUseId }) => toolUseId)).toEqual(['toolu_below', 'toolu_agent'])
  })

  longTest('[W9] an agent that it delegates to is stopped by itself, and the turn goes on', async () => {
    const runs = await start()
    const agentCall = {
      tool_use: 'Agent',
      id: 'toolu_agent',
      input: {
        description: 'd',
        prompt: stubbed({ blocks: [bash('sleep 120', 'toolu_below')] }),
        subagent_type: 'general-purpose',
      },
    }
    const reading = await runs.query({
      requestId: 'tasks',
      prompt: stubbed({ blocks: [agentCall] }, done),
      settings: { permission_mode: 'bypassPermissions' },
    })
    await vi.waitFor(
      () => expect(of(reading, 'tool.started').map(({ toolUseId }) => toolUseId)).toContain('toolu_below'),
      20_000,
    )
    const [task] = of(reading, 'subagent.started')
    expect(await runs.post('/runs/tasks/stop-task', { taskId: task?.agentId })).toMatchObject({
      status: 200,
      body: { stopped: true },
    })
    expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'Done.' })
    expect(of(reading, 'subagent.completed')).toMatchObject([{ agentId: task?.agentId, status: 'stopped' }])
  })

  longTest('[R3] a compaction is told with its summary', async () => {
    const runs = await start()
    const first = await runs.query({ prompt: stubbed({ blocks: [{ text: 'One.' }] }) })
    const reading = await runs.query({ prompt: '/compact', resume: await resumeOf(first) })
    expect(await reading.end).toMatchObject({ type: 'run.completed' })
    expect(of(reading, 'compaction')).toMatchObject([
      { trigger: 'manual', preTokens: expect.any(Number), summary: 'Hello from the stub.', summarized: 2, kept: 0 },
    ])
  })

  test('[R10] a word to the turn under way reaches the model', async () => {
    const runs = await start()
    const reading = await runs.query({
      requestId: 'steered',
      prompt: stubbed({ blocks: [bash('until [ -e go.txt ]; do read -t 0.1 <> <(:); done')] }, done),
      settings: { permission_mode: 'bypassPermissions' },
    })
    await reading.first('tool.started')
    expect(await runs.post('/runs/steered/steer', { id: 's1', text: 'MIND THE STEP' })).toMatchObject({ status: 200 })
    await new Promise((resolve) => setTimeout(resolve, 200))
    writeFileSync(join(work(), 'go.txt'), '')
    expect(await reading.end).toMatchObject({ type: 'run.completed' })
    expect(JSON.stringify(stub.requests.at(-1)?.body.messages)).toContain('MIND THE STEP')
  })

  longTest(
    '[R10] one that comes with the last words has a turn of its own in the same run, and no later one',
    async () => {
      const runs = await start()
      const slow = { blocks: [{ text: 'word '.repeat(60) }], chunk: 5, delayMs: 10 }
      const reading = await runs.query({ requestId: 'late', prompt: stubbed(slow) })
      await reading.first('assistant.delta')
      const steer = `LATE ${stubbed({ blocks: [{ text: 'To the late word.' }] })}`
      expect(await runs.post('/runs/late/steer', { id: 's1', text: steer })).toMatchObject({ status: 200 })
      expect(await reading.end).toMatchObject({ type: 'run.completed', result: 'To the late word.' })
      expect(reading.text()).toContain('word word')
      const next = await runs.query({
        prompt: stubbed({ blocks: [{ text: 'Mine.' }] }),
        resume: await resumeOf(reading),
      })
      expect(await next.end).toMatchObject({ type: 'run.completed', result: 'Mine.' })
      expect(next.text()).toBe('Mine.')
    },
  )

  longTest('[R10] one that was stopped before it was heard is not heard later', async () => {
    const runs = await start()
    const slow = { blocks: [{ text: 'word '.repeat(400) }], chunk: 5, delayMs: 10 }
    const reading = await runs.query({ requestId: 'late', prompt: stubbed(slow) })
    await reading.first('assistant.delta')
    const steer = `LATE ${stubbed({ blocks: [bash('touch late.txt')] })}`
    await runs.post('/runs/late/steer', { id: 's1', text: steer })
    const { body } = await runs.post('/runs/late/cancel')
    const { resume } = body as { resume: string }
    const next = await runs.query({ prompt: stubbed({ blocks: [{ text: 'Mine.' }] }), resume })
    expect(await next.end).toMatchObject({ type: 'run.completed', result: 'Mine.' })
    expect(existsSync(join(work(), 'late.txt'))).toBe(false)
  })

  test('[R11] an engine that is killed is one error, and the next run has another', async () => {
    const runs = await start()
    const reading = await runs.query({
      prompt: stubbed({ blocks: [{ text: 'word '.repeat(500) }], chunk: 5, delayMs: 20 }),
    })
    await reading.first('assistant.delta')
    for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL')
    expect(await reading.end).toMatchObject({ type: 'run.error', reason: 'engine' })
    const next = await runs.query({ prompt: stubbed({ blocks: [{ text: 'Alive.' }] }) })
    expect(await next.end).toMatchObject({ type: 'run.completed', result: 'Alive.' })
  })

  longTest('[R11] what its commands left behind ends with the engine', async () => {
    const runs = await start()
    const reading = await runs.query({
      prompt: stubbed({ blocks: [bash('setsid tail -f /dev/null >/dev/null 2>&1 & echo $! > pid.txt')] }, done),
      settings: { permission_mode: 'bypassPermissions' },
    })
    await reading.end
    const pid = Number(readFileSync(join(work(), 'pid.txt'), 'utf8'))
    await runner.close()
    expect(startTimeOf(pid)).toBeNull()
  })

  longTest('[R11] a prompt of 5 MB is played or refused, once', async () => {
    const runs = await start()
    const reading = await runs.query({ prompt: `${'x'.repeat(5_000_000)} ${stubbed({ blocks: [{ text: 'Long.' }] })}` })
    expect(await reading.end).toMatchObject({ type: expect.stringMatching(/^run\.(completed|error)$/) })
    expect((await runs.ask('/health')).body).toMatchObject({ busy: false })
  })

  const childrenOf = (pid: number): number[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
          const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
          const isEngine = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('claude')
          return Number(parent) === pid && isEngine ? [Number(name)] : []
        } catch {
          return []
        }
      })
})

test('[R12] without the package it says how to get it', async () => {
  const cwd = process.cwd()
  const bare = mkdtempSync(join(tmpdir(), 'bridle-bare-'))
  process.chdir(bare)
  try {
    expect(await claudeEngine({}).needs()).toBe(
      'Claude Code is not installed. Run: npm install @anthropic-ai/claude-agent-sdk',
    )
  } finally {
    process.chdir(cwd)
  }
})
