// Cuts of a conversation: what the model sees behind them, and that a reader who begins at the last cut sees the same.

import type { AnyEvent } from '@bridle/kernel/event'
import { course } from '@bridle/kernel/projections/course'
import { expect, test } from 'vitest'
import { Transcript } from '../transcript/transcript.ts'

type Draft = readonly [type: string, payload: object, run?: string]

/** The log of a test, and readers of it. */
class Log {
  readonly events: AnyEvent[] = []
  #course = course.initial

  add(...drafts: readonly Draft[]): void {
    for (const [type, payload, run] of drafts) {
      const seq = this.events.length + 1
      const event = { seq, at: seq, type, payload, ...(run && { run }), frame: seq } as unknown as AnyEvent
      this.events.push(event)
      this.#course =
        (course.on as Record<string, (state: unknown, event: AnyEvent) => typeof course.initial>)[type]?.(
          this.#course,
          event,
        ) ?? this.#course
    }
  }

  get since(): number {
    return this.#course.cuts.at(-1)?.readFrom ?? 0
  }

  /** Reads on, as a run does when it begins. */
  read(into: Transcript): Transcript {
    do {
      into.begin(this.since)
      for (const event of this.events.slice(into.seq)) into.add(event)
    } while (into.entries.isBroken)
    into.release()
    return into
  }
}

const begin = (run: string, more: object = {}): Draft[] => [
  ['prompt_queued', { run_id: run, message_id: `m-${run.slice(2)}`, text: `ask ${run}`, ...more }],
  ['turn_start', { turn_id: run, prompt: `ask ${run}` }, run],
]
const step = (run: string, n: number, result = `result ${n} ${'long '.repeat(100)}`): Draft[] => [
  [
    'model_step',
    {
      step: n,
      model: 'm',
      finish: 'tool-calls',
      content: [
        { type: 'text', text: `look ${n}` },
        { type: 'call', id: `${run}.${n}`, tool: 'read', input: { n }, provider_id: 'call_0' },
      ],
    },
    run,
  ],
  ['tool_outcome', { tool_call_id: `${run}.${n}`, tool_name: 'read', status: 'ok', result }, run],
]
const end = (run: string, status = 'completed'): Draft => ['turn_end', { turn_id: run, status }, run]
const compacted = (run: string, payload: object): Draft => ['context_compacted', payload, run]
const seqOf = (log: Log, nth: number): number => log.events.filter(({ type }) => type === 'model_step').at(nth)!.seq

const brief = (transcript: Transcript): string[] =>
  transcript.prompt(null).map((message) => {
    if (message.role === 'tool')
      return message.content.map(({ output }) => `= ${String('value' in output && output.value).slice(0, 10)}`).join()
    if (message.role === 'system') return message.content
    return message.content
      .map((part) =>
        part.type === 'text' ? part.text.replaceAll('\n', ' ') : 'toolName' in part ? part.toolCallId : '',
      )
      .join(' ')
  })

const turnsWithCut = (): Log => {
  const log = new Log()
  log.add(...begin('r-1'), ...step('r-1', 1), end('r-1'), ...begin('r-2'), ...step('r-2', 1), ...step('r-2', 2))
  const whole = log.read(new Transcript())
  const keptFrom = seqOf(log, -1)
  log.add(
    compacted('r-2', {
      ...{ summary: 'We read.', kept_from: keptFrom, read_from: whole.readFrom(keptFrom) },
      ...{ artifacts: ['art-1 (a.txt)'], resources: ['file:a', 'file:b'] },
    }),
  )
  return log
}

test('[N84] behind a summary the model sees the prompt of its turn and everything that is kept', () => {
  const log = turnsWithCut()
  log.add(...step('r-2', 3))
  expect(brief(log.read(new Transcript()))).toEqual([
    '[The older part of this conversation was replaced by this summary.]  We read.  Artifacts so far: - art-1 (a.txt)  Resources touched so far: - file:a - file:b',
    'ask r-2',
    'look 2 call_0',
    '= result 2 l',
    'look 3 call_0_2',
    '= result 3 l',
  ])
})

test('[N83] old results that are cleared leave a placeholder; short ones stay', () => {
  const log = new Log()
  log.add(...begin('r-1'), ...step('r-1', 1), ...step('r-1', 2, 'short'), ...step('r-1', 3))
  log.add(compacted('r-1', { cleared_before: seqOf(log, -1) }))
  expect(log.since).toBe(0)
  expect(brief(log.read(new Transcript()))).toEqual([
    'ask r-1',
    'look 1 call_0',
    '= [This resu',
    'look 2 call_0_2',
    '= short',
    'look 3 call_0_3',
    '= result 3 l',
  ])
})

test('[N87] an edit takes back the cuts of its runs; a branch before a cut sees everything', () => {
  const log = turnsWithCut()
  const cached = log.read(new Transcript())
  const before = new Log()
  before.add(...log.events.slice(0, -1).map(({ type, payload, run }): Draft => [type, payload, run]))
  expect(brief(before.read(new Transcript())).slice(0, 3)).toEqual(['ask r-1', 'look 1 call_0', '= result 1 l'])

  log.add(end('r-2'), ['rewound', { run_ids: ['r-2'], message_id: 'm-0' }], ...begin('r-3'))
  expect(log.since).toBe(0)
  expect(brief(log.read(cached))).toEqual(['ask r-1', 'look 1 call_0', '= result 1 l', 'ask r-3'])
})

test('the memory of a transcript is counted, and less after a cut', () => {
  const log = new Log()
  log.add(...begin('r-1'))
  for (let n = 1; n <= 20; n++) log.add(...step('r-1', n))
  const transcript = log.read(new Transcript())
  const { chars } = transcript
  expect(chars).toBeGreaterThan(20 * 500)
  const keptFrom = seqOf(log, -1)
  log.add(compacted('r-1', { summary: 's', kept_from: keptFrom, read_from: transcript.readFrom(keptFrom) }))
  expect(log.read(transcript).chars).toBeLessThan(chars / 5)
  log.add(end('r-1'), ['rewound', { run_ids: ['r-1'], message_id: 'm-0' }])
  expect(log.read(transcript).chars).toBe(0)
})

/** The same numbers each time. */
const randomFrom = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  return seed / 2 ** 31
}

test('[N87] a reader who begins at the last cut sees the same as one who has followed all along', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = randomFrom(seed)
    const log = new Log()
    const cached = new Transcript()
    const queued: string[] = []
    let runs = 0
    const queue = (): string => {
      runs += 1
      const run = `r-${runs}`
      log.add([
        'prompt_queued',
        { run_id: run, message_id: `m-${log.events.length + 1}`, text: 'x', input: { n: runs } },
      ])
      queued.push(run)
      return run
    }
    for (let turn = 0; turn < 8; turn++) {
      if (queued.length === 0) queue()
      const run = queued.shift()!
      log.add(['turn_start', { turn_id: run, prompt: `ask ${run}` }, run])
      for (let n = 1; n <= 5; n++) {
        log.add(...step(run, n))
        if (random() < 0.2) queue()
        if (random() < 0.2)
          log.add(
            ['steered', { run_id: run, message_id: `m-s${log.events.length}`, text: `steer ${n}` }, run],
            ['steer_delivered', { message_id: `m-s${log.events.length}` }, run],
          )
        if (random() < 0.3) {
          log.read(cached)
          const { items } = cached.entries.view
          const { seq } = items[Math.floor(random() * items.length)]!.entry
          const known = cached.entries.lastSummary?.keptFrom ?? 0
          const keptFrom = Math.max(seq > (cached.entries.lastSummary?.seq ?? 0) ? seq : 0, known)
          if (keptFrom === 0 || random() < 0.3) log.add(compacted(run, { cleared_before: seq }))
          else
            log.add(compacted(run, { summary: `cut ${n}`, kept_from: keptFrom, read_from: cached.readFrom(keptFrom) }))
        }
        const fresh = log.read(new Transcript())
        log.read(cached)
        expect([seed, JSON.stringify(fresh.prompt('Be kind.'))]).toEqual([
          seed,
          JSON.stringify(cached.prompt('Be kind.')),
        ])
        expect([seed, fresh.turn.steps, fresh.turn.callCount]).toEqual([seed, cached.turn.steps, cached.turn.callCount])
      }
      log.add(end(run, random() < 0.3 ? 'cancelled' : 'completed'))
      if (random() < 0.25) {
        log.add(['rewound', { run_ids: [run], message_id: 'm-0' }])
        queue()
      }
    }
  }
})
