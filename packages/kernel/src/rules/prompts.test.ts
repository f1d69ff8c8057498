import { PAYLOAD_CHARS_MAX, QUEUE_MAX } from '@bridle/events/limits'
import { describe, expect, test } from 'vitest'
import {
  background,
  finished,
  messageSummary,
  running,
  started,
  stopped,
  T0,
  TestSession,
  token,
} from './rules.suite.ts'

describe('submit', () => {
  test('attempts are counted for each turn: a chat that nobody retries stays at one', () => {
    const life = new TestSession()
    for (const prompt of ['one', 'two', 'three']) {
      life.submit(prompt)
      life.report(started(), finished())
    }
    expect(life.payloads('session_state').map(({ attempt_count }) => attempt_count)).toEqual([1, 1, 1, 1, 1, 1])
  })

  test.each([
    ['Fix it', 'Fix it'],
    ['Fix it\nand more', 'Fix it'],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), `${'x'.repeat(79)}…`],
    ['🐎'.repeat(41), `${'🐎'.repeat(39)}…`],
  ])('[H132] the title is the beginning of the first line, and shows where it is cut', (prompt, title) => {
    const life = new TestSession()
    life.submit(prompt)
    expect(life.state.lifecycle.title).toBe(title)
  })

  test('[S1] opens the session, adds the user message once and starts the run in one batch', () => {
    const life = new TestSession()
    expect(life.submit('hello')).toEqual({ runId: 'r-2', messageId: 'm-2', delivery: 'started', seq: 5 })
    expect(life.last).toEqual([
      {
        seq: 1,
        at: T0,
        type: 'session_created',
        payload: { kind: 'chat', agent: 'scripted', max_retries: 0, expires_at: null },
      },
      {
        seq: 2,
        at: T0,
        type: 'prompt_queued',
        payload: { run_id: 'r-2', message_id: 'm-2', text: 'hello' },
      },
      { seq: 3, at: T0, type: 'run_requested', payload: { run_id: 'r-2', attempt: 1, resume: null } },
      {
        seq: 4,
        at: T0,
        type: 'turn_start',
        payload: { turn_id: 'r-2', prompt: 'hello', message_id: 'm-4' },
        run: 'r-2',
        attempt: 1,
      },
      {
        seq: 5,
        at: T0,
        type: 'session_state',
        payload: {
          session_id: 's1',
          status: 'running',
          provider: null,
          model: null,
          agent_profile: 'scripted',
          permission_mode: 'normal',
          approval_mode: 'on_request',
          think_level: null,
          policy_path: 'execution_mode -> approval_policy -> runtime_callbacks',
          sandbox_mode: null,
          sandbox_isolation: null,
          engine: 'scripted',
          runner_kind: 'in_process',
          approval_request_id: null,
          workspace_id: null,
          task_graph_id: null,
          process_id: null,
          attempt_count: 1,
          max_retries: 0,
          expires_at: null,
          parent_session_id: null,
          branch_source_event_id: null,
          branch_resume_cursor: null,
          last_heartbeat_at: new Date(T0).toISOString(),
          last_error: null,
          updated_at: new Date(T0).toISOString(),
          ended_at: null,
          resume_context: null,
        },
      },
    ])
    expect(life.state.conversation).toEqual({
      status: 'running',
      sessionStatus: 'running',
      approvals: [],
      messages: [
        { id: 'm-2', role: 'user', content: 'hello', status: 'complete', runId: 'r-2', createdAt: T0 },
        {
          id: 'm-4',
          role: 'assistant',
          content: '',
          status: 'pending',
          toolCalls: [],
          parts: [],
          runId: 'r-2',
          createdAt: T0,
        },
      ],
    })
    life.report(started())
    expect(life.messages).toHaveLength(2)
  })

  test('[S2] the queue is first in, first out; what waits shows as pending, and each answer stands beside its question', () => {
    const life = running()
    expect(life.submit('second')).toMatchObject({ delivery: 'queued' })
    expect(life.submit('third')).toMatchObject({ delivery: 'queued' })
    expect(life.messages.map(messageSummary)).toEqual([
      'user complete: hello',
      'assistant pending: ',
      'user pending: second',
      'user pending: third',
    ])
    life.report(token('one'), finished())
    expect(life.messages.map(messageSummary)).toEqual([
      'user complete: hello',
      'assistant complete: one',
      'user complete: second',
      'assistant pending: ',
      'user pending: third',
    ])
    life.report(started(), token('two'))
    life.report(finished())
    expect(life.messages.map(messageSummary)).toEqual([
      'user complete: hello',
      'assistant complete: one',
      'user complete: second',
      'assistant complete: two',
      'user complete: third',
      'assistant pending: ',
    ])
  })

  test.each<[string, string, string]>([
    ['an empty prompt', ' \n', 'prompt_empty'],
    ['a prompt over the limit', 'x'.repeat(PAYLOAD_CHARS_MAX), 'prompt_too_long'],
  ])('[S26] %s is refused and changes nothing', (_name, prompt, refused) => {
    const life = running()
    const before = life.state
    expect(life.submit(prompt)).toMatchObject({ refused })
    expect(life.state).toBe(before)
    expect(life.last).toEqual([])
  })

  test('[S26] a full queue refuses', () => {
    const life = running()
    for (let index = 0; index < QUEUE_MAX; index++) life.submit(`${index}`)
    expect(life.submit('one more')).toMatchObject({ refused: 'queue_full' })
  })

  test('[S26] background work that has ended takes no prompts', () => {
    const life = running(background())
    life.report(finished())
    expect(life.status).toBe('completed')
    expect(life.submit('more')).toMatchObject({ refused: 'session_ended' })
  })

  test('a run carries its whole input, and keeps it when it is run again', () => {
    const life = new TestSession()
    life.do({ type: 'submit', prompt: 'hello', input: { files: ['a'] } })
    expect(life.run.input).toEqual({ files: ['a'] })
    expect(life.messages[0]!.input).toEqual({ files: ['a'] })
    life.report(started(), finished())
    life.do({ type: 'reload' })
    expect(life.run.input).toEqual({ files: ['a'] })
  })
})

describe('[OH108] files of a prompt', () => {
  const input = { prompt: 'look', attachments: [{ ref_id: 'file-1' }] }

  test('steer has them for its run, and in the conversation', () => {
    const life = running(undefined, true)
    life.do({ type: 'steer', prompt: 'look', input })
    life.do({ type: 'steer', prompt: 'bare' })
    expect(life.state.lifecycle.steers).toEqual([
      { messageId: 'm-9', text: 'look', input },
      { messageId: 'm-10', text: 'bare' },
    ])
    expect(life.messages.map((message) => message.input)).toEqual([undefined, undefined, input, undefined])
  })
  test('steer keeps them where it is queued, also where its run ends before it is delivered', () => {
    const queued = running()
    queued.do({ type: 'steer', prompt: 'look', input })
    expect(queued.state.lifecycle.queue).toMatchObject([{ text: 'look', input }])
    const late = running(undefined, true)
    late.do({ type: 'steer', prompt: 'look', input })
    late.report(finished())
    expect(late.run).toMatchObject({ text: 'look', input })
  })
  test('edit has its own, and none of the prompt that it replaces', () => {
    const life = running()
    life.report(finished())
    const [first] = life.messages
    life.do({ type: 'edit', messageId: first?.id ?? '', prompt: 'look', input })
    expect(life.run.input).toEqual(input)
    life.report(started(), finished())
    life.do({ type: 'edit', messageId: life.messages[0]?.id ?? '', prompt: 'bare' })
    expect(life.run.input).toBeUndefined()
  })
})

describe('create', () => {
  test('makes an idle session, once', () => {
    const life = new TestSession()
    expect(life.do({ type: 'create', opening: { title: 'T' } })).toEqual({ sessionId: 's1', seq: 2 })
    expect(life.lastTypes).toEqual(['session_created', 'session_state'])
    expect(life.status).toBe('idle')
    expect(life.do({ type: 'create' })).toMatchObject({ refused: 'session_exists' })
  })

  test.each(['edit', 'reload', 'cancel', 'approve', 'pause', 'resume', 'set_policy', 'expire', 'tick'] as const)(
    '[S26] %s of an unknown session is refused',
    (type) => {
      const life = new TestSession()
      expect(life.do({ type } as never)).toMatchObject({ refused: 'session_not_found' })
      expect(life.log).toEqual([])
    },
  )
})

describe('steer', () => {
  test('[S7] reaches a run whose engine listens', () => {
    const life = running(undefined, true)
    expect(life.do({ type: 'steer', prompt: 'left' })).toMatchObject({ runId: 'r-2', delivery: 'steered' })
    expect(life.messages.map(messageSummary)).toEqual([
      'user complete: hello',
      'assistant pending: ',
      'user complete: left',
    ])
    expect(life.state.lifecycle.steers).toEqual([{ messageId: 'm-9', text: 'left' }])
    life.report({ type: 'steer_delivered', messageId: 'm-9' })
    expect(life.state.lifecycle.steers).toEqual([])
    life.report({ type: 'steer_delivered', messageId: 'm-9' })
    expect(life.last).toEqual([])
  })

  test('[S7] several steers stand in the order they were given, before what waits', () => {
    const life = running(undefined, true)
    life.submit('waits')
    life.do({ type: 'steer', prompt: 'one' })
    life.do({ type: 'steer', prompt: 'two' })
    expect(life.messages.map(messageSummary)).toEqual([
      'user complete: hello',
      'assistant pending: ',
      'user complete: one',
      'user complete: two',
      'user pending: waits',
    ])
  })

  test('[S7] becomes the head of the queue where the engine does not listen', () => {
    const life = running()
    life.submit('later')
    expect(life.do({ type: 'steer', prompt: 'first' })).toMatchObject({ delivery: 'queued' })
    expect(life.state.lifecycle.queue.map(({ text }) => text)).toEqual(['first', 'later'])
    expect(life.messages.map(messageSummary)).toEqual([
      'user complete: hello',
      'assistant pending: ',
      'user pending: first',
      'user pending: later',
    ])
    life.report(finished())
    expect(life.run.text).toBe('first')
  })

  test('[S7] starts at once where nothing runs, even as the first command', () => {
    const life = new TestSession()
    expect(life.do({ type: 'steer', prompt: 'go' })).toMatchObject({ delivery: 'started' })
  })
})

describe('edit and reload', () => {
  const twoTurns = () => {
    const life = running()
    life.report(token('one'), finished({ resume: 'h1' }))
    life.submit('second')
    life.report(started(), token('two'), finished({ resume: 'h2' }))
    return life
  }

  test('[S8] edit goes on from before the message, and the engine from before its turn', () => {
    const life = twoTurns()
    const edited = life.messages[2]!
    life.do({ type: 'edit', messageId: edited.id, prompt: 'other' })
    expect(life.lastTypes).toEqual(['rewound', 'prompt_queued', 'run_requested', 'turn_start', 'session_state'])
    expect(life.payloads('rewound')).toEqual([{ keep: 2, message_id: edited.id, run_ids: [edited.runId] }])
    expect(life.messages.map(messageSummary)).toEqual([
      'user complete: hello',
      'assistant complete: one',
      'user complete: other',
      'assistant pending: ',
    ])
    expect(life.run.resume).toBe('h1')
  })

  test('[S8] reload asks the same again, by default the last', () => {
    const life = twoTurns()
    life.do({ type: 'reload' })
    expect(life.run).toMatchObject({ text: 'second', resume: 'h1' })
  })

  test('[S8] reload of an earlier answer takes back all turns from there', () => {
    const life = twoTurns()
    life.do({ type: 'reload', messageId: life.messages[1]!.id })
    expect(life.run).toMatchObject({ text: 'hello', resume: null })
    expect(life.messages.map(messageSummary)).toEqual(['user complete: hello', 'assistant pending: '])
  })

  test('[S8] a prompt that waits while the session is paused is edited in place', () => {
    const life = twoTurns()
    life.do({ type: 'pause' })
    life.submit('third')
    life.do({ type: 'edit', messageId: life.messages[4]!.id, prompt: 'THIRD' })
    expect(life.state.lifecycle.queue.map(({ text }) => text)).toEqual(['THIRD'])
    expect(life.messages.map(messageSummary).slice(4)).toEqual(['user pending: THIRD'])
  })

  test.each<[string, (life: TestSession) => unknown, string]>([
    ['while a run is active', (life) => life.submit('x'), 'run_active'],
    [
      'while a cancelled run has not ended',
      (life) => {
        life.submit('x')
        life.report(started())
        life.do({ type: 'cancel' })
      },
      'run_active',
    ],
  ])('[S8] is refused %s', (_name, prepare, refused) => {
    const life = twoTurns()
    prepare(life)
    expect(life.do({ type: 'reload' })).toMatchObject({ refused })
    expect(life.do({ type: 'edit', messageId: life.messages[0]!.id, prompt: 'y' })).toMatchObject({ refused })
  })

  test.each<[string, Parameters<TestSession['do']>[0], string]>([
    ['an unknown message', { type: 'edit', messageId: 'nope', prompt: 'x' }, 'message_not_found'],
    ['an answer', { type: 'edit', messageId: 'm-4', prompt: 'x' }, 'message_not_found'],
    ['an unknown answer', { type: 'reload', messageId: 'nope' }, 'message_not_found'],
    ['no words', { type: 'edit', messageId: 'm-2', prompt: '' }, 'prompt_empty'],
  ])('[S8] %s is refused', (_name, command, refused) => {
    expect(twoTurns().do(command)).toMatchObject({ refused })
  })

  test('[S8] background work that has ended stays ended', () => {
    const life = running(background())
    life.report(token('x'), finished())
    expect(life.do({ type: 'reload' })).toMatchObject({ refused: 'session_ended' })
  })

  test('a reload after a cancel waits for the end of the run', () => {
    const life = running()
    life.do({ type: 'cancel' })
    life.report(stopped)
    expect(life.do({ type: 'reload' })).toMatchObject({ delivery: 'started' })
  })
})
