// Every event of functions with `durable: false`, and every value and error that they get back. Clients and step keys depend on them.
// `not-durable-events.json` was recorded when these functions had a session of their own.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Json, JsonObject } from '@bridle/events/json'
import type { AnyEvent } from '@bridle/kernel/event'
import { flushPending } from '@bridle/kernel/host/host.suite'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent, type RunContext } from '../agent.ts'
import { key, NativeWorld } from '../in-process/native.suite.ts'
import type { DirectiveSchemas } from '../session/directive-schemas.ts'
import { DurableProcess, defineAgents, keyOf } from './durable-world.suite.ts'

/** The function notes what it gets back: the second half of what must not change. */
type Note = (...values: unknown[]) => void
type Work = (context: RunContext<JsonObject>, note: Note, process: Process) => unknown

interface Process {
  readonly attempt: number
  /** On the clock that the test moves. */
  readonly pass: (ms: number) => Promise<void>
}

interface Case {
  readonly work: Work
  /** People answer, and the clock moves, while the function runs. */
  readonly meanwhile?: (it: World) => Promise<void>
  readonly opening?: object
  readonly directives?: DirectiveSchemas
  /** The agent's file is loaded again before each use: the schemas of its open calls are those of another definition. */
  readonly isReloaded?: true
}

const background = { kind: 'background', maxRetries: 2 } as const
const busy = () => Object.assign(new Error('busy'), { transient: true, code: 'E_BUSY' })

class World extends NativeWorld {
  readonly noted: unknown[] = []

  /** The answer to the oldest open question. */
  async answer(given: object): Promise<void> {
    const answer = await this.send({ type: 'approve', ...(await this.asked()), ...given } as never)
    if ('refused' in (answer as object)) this.noted.push(answer)
    await this.quiet()
  }

  /** Approves what is still asked, a few attempts long. */
  async approveAll(): Promise<void> {
    for (let n = 0; n < 4; n++) {
      await this.clock.pass(20_000)
      if (await this.isAsked()) await this.answer({ decision: 'approved' })
    }
  }

  async isAsked(): Promise<boolean> {
    return Object.keys((await this.host.open(key)).state.approvals.open).length > 0
  }

  async quiet(): Promise<void> {
    await this.clock.pass(0)
    await flushPending(20)
  }

  async lines(): Promise<string[]> {
    return [...linesOf(await this.events()), ...this.noted.map((each) => lineOf('noted', each as Json))]
  }
}

/** Made by the kernel alone: the name is enough, or nothing at all where time and health decide. */
const NAMED = /^(prompt_queued|run_requested|turn_start|session_p|cancel_|run_stopped|budget_|retry_|session_r)/
const OMITTED = /^(artifact_chunk|session_created|session_state|health_changed|sandbox_notice|policy_decision)$/

const linesOf = (events: readonly AnyEvent[]): string[] =>
  events.filter(({ type }) => !OMITTED.test(type)).map(({ type, payload }) => lineOf(type, payload as Json))

const lineOf = (type: string, payload: Json | undefined): string => {
  if (NAMED.test(type)) return type
  const text = JSON.stringify(payload ?? null)
  const hash = () => createHash('sha256').update(text).digest('hex').slice(0, 8)
  return `${type} ${text.length > 200 ? `${text.slice(0, 100)}… ${text.length} ${hash()}` : text}`
}

const codeOf = (error: unknown): unknown => {
  const { name, message } = error as Error
  return { ...(error as Error), name, message }
}

const cases: Readonly<Record<string, Case>> = {
  'text, thoughts and a result': {
    work: async ({ session }) => {
      session.text('a')
      session.text('b')
      session.text('')
      await session.thinking('hm')
      await session.thinking('').catch(() => {})
      await session.text('c')
      return { said: 'abc' }
    },
  },
  'text without an end in sight': {
    work: async ({ session }) => {
      for (let n = 0; n < 3; n++) await session.text('x'.repeat(150_000))
    },
  },
  'the other methods': {
    work: async ({ session }, note) => {
      await session.checkpoint('half way')
      await session.artifact('notes.md', '# Notes', 'text/markdown')
      await session.artifact('notes.md', '# Notes', 'text/markdown')
      await session.usage({ inputTokens: 3, costUsd: 0.5 })
      await session.usage({ inputTokens: 3, costUsd: 0.5 })
      await session
        .directive({ action_type: 'open_url', payload: { url: 'https://example.com' } } as never)
        .catch((error) => note(codeOf(error)))
      note(await session.messages(), session.id)
    },
  },
  'events that the function emits itself': {
    work: async ({ session }, note) => {
      await session.emit('token', { text: 'raw' })
      session.text('paced')
      await session.emit('thinking', { text: 'hm', more: 1 } as never)
      await session.emit('reflection', { text: 'oh' } as never).catch((error) => note(codeOf(error)))
      await session.emit('tool_call', { name: 'own', arguments: { n: 1 }, tool_call_id: 'own-1', effect: 'pure' })
      await session.emit('context_warning', { message: 'soon full' })
      await session.emit('my_event', { n: 1 })
      await session.emit('my_event', { n: 1 })
      await session.emit('token', { text: 1 } as never).catch((error) => note(codeOf(error)))
      await session.emit('run_started' as never, {} as never).catch((error) => note(codeOf(error)))
    },
  },
  'directives with a schema': {
    directives: { 'com.example.sop.start': v.object({ id: v.string() }) },
    work: async ({ session }, note) => {
      const start = (payload: JsonObject) =>
        session
          .directive({ action_type: 'com.example.sop.start', payload } as never)
          .catch((error) => note(codeOf(error)))
      await start({ id: 1 })
      await start({ id: 'one' })
    },
  },
  'the ids of calls': {
    work: async ({ session }, note) => {
      const key = (_args: object, { stepKey }: { stepKey: string }) => void note(stepKey)
      await session.tool('a', {}, key)
      await session.tool('a', {}, key)
      await session.tool('b', { n: 1 }, key, { id: 'mine', effect: 'pure' })
      await session.tool('c', [1], key).catch((error) => note(codeOf(error)))
      await session.tool('c', {}, key, { timeoutMs: -1 }).catch((error) => note(codeOf(error)))
      await session.tool('', {}, key).catch((error) => note(codeOf(error)))
      await session.tool('d', {}, key, { id: 'no id' }).catch((error) => note(codeOf(error)))
      await session.tool('d', {}, key, { id: 'mine' }).catch((error) => note(codeOf(error)))
      await session.tool('user_input', {}, key)
      await session.tool('e', {}, key, { effect: 'idempotent' })
      await session.tool('f', {}, key, { id: 'call-11' })
      await session.tool('g', {}, key).catch((error) => note(codeOf(error)))
      await session.tool('g', {}, key).catch((error) => note(codeOf(error)))
    },
  },
  'results as they are, and as the log has them': {
    work: async ({ session }, note) => {
      const made = new Map([['a', 1]])
      const back = await session.tool('map', {}, () => made)
      note(back === made, await session.tool('nothing', {}, () => undefined))
      const large = await session.tool('large', {}, () => 'x'.repeat(20_000))
      note(large.length, await session.tool('date', {}, () => new Date(0)))
      note(String(await session.tool('huge', {}, () => 'x'.repeat(11_000_000))).length)
      await session.tool('big', {}, () => 1n).catch((error) => note(codeOf(error)))
      const arguments_ = { path: 'a' }
      const reading = session.tool('read', arguments_, (given) => given)
      arguments_.path = 'changed afterwards'
      note(await reading)
    },
  },
  'errors of tools': {
    work: async ({ session }, note) => {
      const own = Object.assign(new RangeError('no such file'), { code: 'ENOENT' })
      await session
        .tool('t', {}, () => {
          throw own
        })
        .catch((error) => note(error === own, codeOf(error)))
      await session.tool('t', {}, () => Promise.reject(busy())).catch((error) => note(codeOf(error)))
      await session.tool('t', {}, () => Promise.reject('words')).catch((error) => note(error))
      const input = v.object({ n: v.number() })
      await session.tool('t', { n: 'x' } as never, () => 1, { input }).catch((error) => note(codeOf(error)))
      const changed = v.object({ n: v.pipe(v.number(), v.transform(String)) })
      note(await session.tool('t', { n: 1 } as never, (args) => args, { input: changed }))
    },
  },
  'a tool that takes too long': {
    work: ({ session }, note) =>
      session.tool('slow', {}, () => new Promise(() => {}), { timeoutMs: 50 }).catch((error) => note(codeOf(error))),
    meanwhile: (it) => it.clock.pass(50),
  },
  'calls at the same time': {
    work: async ({ session }, note, { pass }) => {
      const later = (ms: number) => () => pass(ms)
      await Promise.all([session.tool('a', {}, later(30)), session.text('x'), session.tool('b', {}, later(5))])
      await Promise.all([
        session.tool('c', {}, () => 1),
        session.tool('d', {}, () => 2),
        session.tool('e', {}, () => 3),
      ])
      note(await Promise.allSettled([session.tool('f', {}, () => 1), session.tool('g', { n: 1n }, () => 1)]))
    },
    meanwhile: (it) => it.clock.pass(50),
  },
  'calls within a call': {
    work: async ({ session }, note) => {
      const inner = async (_args: object, { stepKey }: { stepKey: string }) => {
        await session.text('from within')
        await session.emit('my_event', { n: 1 })
        await session.memory.set('k', 1)
        note(await session.tool('inner', {}, (_inner, context) => context.stepKey))
        return stepKey
      }
      note(await session.tool('outer', {}, inner), await session.tool('outer', {}, inner))
    },
  },
  'calls that nothing awaits': {
    work: ({ session }, _note, { pass }) => {
      session.tool('slow', {}, () => pass(10).then(() => 'late'))
      session.tool('bad', {}, () => Promise.reject(new Error('unheard')))
      session.approval({ subject: 'deploy', reason: 'it is Friday' })
      session.text('done')
      session.emit('turn_end' as never, {} as never)
    },
    meanwhile: async (it) => {
      await it.answer({ decision: 'approved' })
      await it.clock.pass(10)
    },
  },
  'an error takes what was begun with it': {
    work: async ({ session }, note) => {
      await new Promise<void>((begun) => {
        session.tool('endless', {}, (_args, { signal }) => {
          signal.addEventListener('abort', () => note(codeOf(signal.reason)))
          begun()
          return new Promise(() => {})
        })
      })
      await session.text('so far')
      throw Object.assign(new TypeError('enough'), { code: 'E' })
    },
  },
  'after its end a session takes nothing': {
    work: ({ session }, note, { pass }) => {
      void pass(20).then(() => {
        session.text('late').catch((error) => note(codeOf(error)))
        session.tool('late', {}, () => 1).catch((error) => note(codeOf(error)))
        session.memory.set('k', 1).catch((error) => note(codeOf(error)))
      })
    },
    meanwhile: (it) => it.clock.pass(20),
  },
  'steps, sleeps and waits': {
    work: async ({ session }, note) => {
      await session.step('a', () => 1).catch((error) => note(codeOf(error)))
      await session.sleep('a', 1).catch((error) => note(codeOf(error)))
      await session.waitFor('a').catch((error) => note(codeOf(error)))
      await session.step('', () => 1)
    },
  },
  memory: {
    work: async ({ session }, note) => {
      await session.memory.set('a', { n: 1 })
      await session.memory.set('a', { n: 1 })
      await session.memory.set('b', 2, { ttlMs: 10 })
      note(await session.memory.get('a'), await session.memory.list())
      await session.approval({ subject: 'wait', reason: 'time passes' })
      note(await session.memory.get('b'), await session.memory.list())
      await session.memory.delete('a')
      await session.memory.delete('none')
      await session.memory.propose('c', 3, { reason: 'it fits' })
      await session.memory.propose('c', 3)
      await session.memory.set('', 1).catch((error) => note(codeOf(error)))
      await session.memory.propose('x', 1n).catch((error) => note(codeOf(error)))
    },
    meanwhile: async (it) => {
      await it.asked()
      await it.clock.pass(20)
      await it.answer({ decision: 'approved' })
    },
  },
  'an approval of a call': {
    work: async ({ session }, note) => {
      note(await session.tool('write', { path: 'a' }, (args) => args, { approve: true, effect: 'idempotent' }))
      note(await session.tool('write', { path: 'a' }, (args) => args, { approve: { reason: 'again' }, id: 'w' }))
    },
    meanwhile: async (it) => {
      await it.answer({ decision: 'approved', actor: 'ada' })
      await it.answer({ decision: 'approved', args: { path: 'b' }, reason: 'better' })
    },
  },
  'a call that is denied': {
    work: async ({ session }, note) => {
      await session.tool('write', {}, () => 1, { approve: true }).catch((error) => note(codeOf(error)))
      await session.tool('write', {}, () => 1, { approve: true })
    },
    meanwhile: async (it) => {
      await it.answer({ decision: 'denied', reason: 'not today', actor: 'ada' })
      await it.answer({ decision: 'denied' })
    },
  },
  'a call whose approval expires': {
    work: ({ session }, note) =>
      session.tool('write', {}, () => 1, { approve: { expiresMs: 1_000 } }).catch((error) => note(codeOf(error))),
    meanwhile: (it) => it.clock.pass(1_000),
  },
  'odd settings of an approval': {
    work: async ({ session }, note) => {
      const odd = (approve: object) =>
        session.tool('write', {}, () => 1, { approve } as never).catch((error) => note(codeOf(error)))
      await odd({ reason: 1 })
      await odd({ expiresMs: -1 })
      await session.approval({ subject: '', reason: 'x' }).catch((error) => note(codeOf(error)))
      await session.approval({ subject: 'a' } as never).catch((error) => note(codeOf(error)))
      await session.approval({ subject: 'a', reason: 'b', args: [1] } as never).catch((error) => note(codeOf(error)))
      await session.tool('write', {}, () => 1)
    },
  },
  questions: {
    work: async ({ session }, note) => {
      note(await session.approval({ subject: 'deploy', args: { to: 'a' }, reason: 'it is Friday' }))
      note(await session.approval({ subject: 'deploy', args: { to: 'a' }, reason: 'it is Friday' }))
      note(await session.approval({ subject: 'deploy', reason: 'it is Friday' }))
      note(await session.approval({ subject: 'user_input', reason: 'Which?', expiresMs: 500 }))
      await session.text('asked')
    },
    meanwhile: async (it) => {
      await it.answer({ decision: 'approved', args: { to: 'b' }, reason: 'there' })
      await it.answer({ decision: 'denied', reason: 'no' })
      await it.answer({ decision: 'denied' })
      await it.asked()
      await it.clock.pass(500)
    },
  },
  'approvals at the same time': {
    work: async ({ session }, note) => {
      const writing = (path: string) =>
        session.tool('write', { path }, (args) => args, { approve: true }).catch((error) => codeOf(error))
      note(await Promise.all([writing('a'), writing('b'), session.approval({ subject: 'c', reason: 'd' })]))
    },
    meanwhile: async (it) => {
      await it.asked()
      await it.quiet()
      const session = await it.host.open(key)
      const [first, second, third] = Object.keys(session.state.approvals.open)
      await it.send({ type: 'approve', approvalId: String(third), decision: 'approved' })
      await Promise.all([
        it.send({ type: 'approve', approvalId: String(second), decision: 'denied' }),
        it.send({ type: 'approve', approvalId: String(first), decision: 'approved' }),
      ])
    },
  },
  'edited arguments': {
    work: async ({ session }, note) => {
      const input = v.object({ cents: v.pipe(v.union([v.number(), v.string()]), v.transform(Number)) })
      note(await session.tool('pay', { cents: 5 }, (args) => args, { approve: true, input }))
    },
    meanwhile: async (it) => {
      await it.answer({ decision: 'approved', args: { cent: 1 } })
      await it.answer({ decision: 'approved', args: { cents: '7' } })
    },
  },
  'arguments of the function that do not fit, approved': {
    work: async ({ session }, note) => {
      const input = v.object({ cents: v.number() })
      const paying = session.tool('pay', { cents: 'x' } as never, () => 1, { approve: true, input })
      await paying.catch((error) => note(codeOf(error)))
    },
    meanwhile: (it) => it.answer({ decision: 'approved' }),
  },
  'an answer that comes while the function works': {
    work: async ({ session }, note, { pass }) => {
      const asking = session.approval({ subject: 'go', reason: 'on' })
      await pass(40)
      note(await asking)
    },
    meanwhile: async (it) => {
      await it.answer({ decision: 'approved' })
      await it.clock.pass(40)
    },
  },
  'edited arguments that nothing has checked': {
    isReloaded: true,
    work: async ({ session }, note) => {
      const input = v.object({ cents: v.number() })
      await session
        .tool('pay', { cents: 5 }, (args) => args, { approve: true, input })
        .catch((error) => note(codeOf(error)))
    },
    meanwhile: (it) => it.answer({ decision: 'approved', args: { cent: 1 } }),
  },
  'cancelled in a tool': {
    work: async ({ session }, note) => {
      await session.text('so far')
      await session.tool('wait', {}, () => new Promise(() => {})).catch((error) => note(codeOf(error)))
      await session.text('never')
    },
    meanwhile: async (it) => {
      await it.quiet()
      await it.send({ type: 'cancel' })
    },
  },
  'cancelled in a question': {
    work: ({ session }, note) =>
      session.approval({ subject: 'deploy', reason: 'it is Friday' }).catch((error) => note(codeOf(error))),
    meanwhile: async (it) => {
      await it.asked()
      await it.send({ type: 'cancel' })
    },
  },
  'paused in a question': {
    opening: background,
    work: async ({ session }, note, { attempt }) => {
      await session.text(`try ${attempt}`)
      note(await session.tool('write', { path: 'a' }, (args) => args, { approve: true }).catch((e) => codeOf(e)))
    },
    meanwhile: async (it) => {
      await it.asked()
      await it.send({ type: 'pause' } as never)
      await it.clock.pass(3_000)
      await it.send({ type: 'resume' } as never)
      await it.approveAll()
    },
  },
  'paused after the call': {
    opening: background,
    work: async ({ session }, note, { attempt }) => {
      note(await session.tool('write', {}, () => attempt, { approve: true }).catch((e) => codeOf(e)))
      await session.text('after')
    },
    meanwhile: async (it) => {
      await it.answer({ decision: 'approved', pause: true })
      await it.clock.pass(3_000)
      await it.send({ type: 'resume' } as never)
      await it.approveAll()
    },
  },
  'tried again from nothing': {
    opening: background,
    work: async ({ session }, note, { attempt }) => {
      const key = (_args: object, { stepKey }: { stepKey: string }) => stepKey
      await session.text(`try ${attempt} `)
      note(await session.tool('a', {}, key), await session.tool('b', {}, key, { id: 'mine' }))
      note(await session.approval({ subject: 'enough', reason: 'of it' }), await session.memory.get('n'))
      await session.memory.set('n', attempt)
      await session.artifact('notes', 'the same')
      await session.emit('my_event', { n: 1 })
      await session.text('end')
      if (attempt < 3) throw busy()
      return attempt
    },
    meanwhile: async (it) => {
      for (let n = 0; n < 3; n++) {
        await it.answer({ decision: 'approved', actor: `person ${n}` })
        await it.clock.pass(20_000)
      }
    },
  },
  'the answer to an attempt that is over': {
    opening: background,
    work: async ({ session }, note, { attempt, pass }) => {
      const writing = session.tool('write', { path: 'a' }, (args) => args, { approve: true })
      if (attempt === 1) {
        writing.catch(() => {})
        await pass(20)
        throw busy()
      }
      note(await writing)
    },
    meanwhile: async (it) => {
      const { approvalId } = await it.asked()
      await it.clock.pass(20)
      it.noted.push(await it.send({ type: 'approve', approvalId, decision: 'approved' }))
      await it.approveAll()
    },
  },
  'over its budget': {
    opening: { ...background, policy: { health: { max_cost_usd: 1 } } },
    work: async ({ session }, note, { attempt, pass }) => {
      const deciding = session.tool('write', {}, () => attempt, { approve: true }).catch((error) => codeOf(error))
      await pass(5)
      if (attempt === 1) await session.usage({ costUsd: 2 })
      note(await deciding)
      await session.text('more')
    },
    meanwhile: (it) => it.approveAll(),
  },
}

const play = async ({ work, meanwhile, opening, directives, isReloaded }: Case): Promise<string[]> => {
  let attempts = 0
  const pass = (ms: number) => new Promise<void>((resolve) => void it.clock.after(ms, resolve))
  const run = (context: RunContext<JsonObject>) =>
    work(context, (...values) => void it.noted.push(...values), { attempt: ++attempts, pass })
  const define = () =>
    agent({ name: 'tested', durable: false, ...(directives && { directives }), run: run as () => Json })
  const it: World = new World(isReloaded ? define : define())
  const { end } = await it.begin('hello', undefined, opening)
  await meanwhile?.(it)
  it.noted.push(await end)
  await it.quiet()
  return it.lines()
}

/** Commits of this function after which the process is gone. A second process answers whatever is asked. */
const crashes = ['tool_call', 'approval_required', 'approval_decided', 'approval_delivered', 'tool_outcome', 'response']

const crashing = defineAgents(
  {
    shop: async ({ session }, process) => {
      await session.text('begin ')
      const stepKeys = await session.tool('count', {}, (_args, { stepKey }) => process.act(stepKey, stepKey))
      const paid = await session.tool('pay', { cents: 5 }, (args, { stepKey }) => process.act(stepKey, args), {
        approve: true,
        id: 'pay',
      })
      return { stepKeys, paid }
    },
  },
  false,
)

const playCrash = async (type: string, kind: 'chat' | 'background'): Promise<string[]> => {
  const key = keyOf('shop', 's1')
  const first = new DurableProcess(crashing)
  first.log.after = ({ events }) => {
    first.isGone ||= events.some((event) => event.type === type)
    return first.isGone ? new Promise(() => {}) : undefined
  }
  void first.submit(key, 'go', { kind, maxRetries: 2 }).catch(() => {})
  const isAsked = async () => (await first.payloads(key, 'approval_required')).length > 0
  await first.until(async () => first.isGone || (await isAsked()))
  if (!first.isGone) void first.approve(key).catch(() => {})
  await first.until(() => first.isGone)
  const second = await first.next()
  for (let n = 0; n < 4; n++) {
    await second.clock.pass(10_000)
    if ((await second.openApprovals(key)).length > 0) await second.approve(key)
  }
  await second.idle(key)
  await second.host.stop()
  return [...linesOf(await second.events(key)), ...second.ledger.entries.map((entry) => lineOf('effect', entry))]
}

const expected = JSON.parse(readFileSync(new URL('not-durable-events.json', import.meta.url), 'utf8')) as {
  readonly [name: string]: readonly string[]
}

describe('[N55] the events of a function with durable: false', () => {
  test.each(Object.entries(cases))('%s', async (name, each) => {
    expect(await play(each)).toEqual(expected[name])
  })

  test.each(crashes.flatMap((type) => [[type, 'chat'] as const, [type, 'background'] as const]))(
    'after a crash at the first %s of a %s',
    async (type, kind) => {
      expect(await playCrash(type, kind)).toEqual(expected[`a crash at ${type}, ${kind}`])
    },
  )
})
