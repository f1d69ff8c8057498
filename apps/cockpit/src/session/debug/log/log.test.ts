import type { LogEntry } from 'bridle/history'
import { describe, expect, test } from 'vitest'
import { type EntryFilter, entryTest, readFilter, withFilter } from './entry-filter.ts'
import { EntryLog } from './entry-log.ts'
import { type LogPager, loadLog, loadNews } from './load-log.ts'
import { ENTRIES_MAX, LogFacets } from './log-facets.ts'
import { mergedText } from './merged-text.ts'
import { RowList } from './row-list.ts'
import { rowWords } from './row-words.ts'

const entry = (seq: number, type: string, payload: LogEntry['payload'] = {}, run = 'r-1'): LogEntry => ({
  seq,
  at: seq * 10,
  type,
  run,
  payload,
})

const log = (count: number, entryOf: (seq: number) => LogEntry, from = 1): readonly LogEntry[] =>
  Array.from({ length: count }, (_, at) => entryOf(from + at))

const pagerOf =
  (entries: readonly LogEntry[], sizeMax = Number.POSITIVE_INFINITY): LogPager =>
  async (after, limit) => {
    const found = entries.filter(({ seq }) => seq > after).slice(0, Math.min(limit, sizeMax))
    const head = entries.at(-1)?.seq ?? 0
    const next = (found.at(-1)?.seq ?? head) < head ? (found.at(-1)?.seq ?? null) : null
    return { session: { id: 's', agent: 'a', kind: 'chat' }, entries: found, head, incarnation: 1, next } as never
  }

const rowsOf = (list: RowList): (readonly [number, number])[] =>
  Array.from({ length: list.count }, (_, at) => list.at(at)).map((row) => [row?.first ?? 0, row?.seq ?? 0])

const all = (): boolean => true
const never = (): boolean => false

describe('[C68] the log', () => {
  test('comes newest page first, whole, also where numbers do not begin with 1 and pages are short', async () => {
    const entries = log(1_300, (seq) => entry(seq, 'usage'), 71)
    const held = new EntryLog()
    const progress: string[] = []
    await loadLog(pagerOf(entries, 130), held, (now) => progress.push(`${now} ${held.low}`), never)
    expect(progress).toEqual(['loading 871', 'loading 371', 'whole 71'])
    expect([held.low, held.head, held.count]).toEqual([71, 1_370, 1_300])
    expect([71, 370, 371, 870, 871, 1_370].map((seq) => held.entry(seq)?.seq)).toEqual([71, 370, 371, 870, 871, 1_370])
    expect(held.entry(70)).toBe(undefined)
    const more = [...entries, ...log(620, (seq) => entry(seq, 'usage'), 1_371)]
    await loadNews(pagerOf(more), held)
    expect(held.head).toBe(1_990)
  })

  test('[C250] a log that goes on for ever keeps its newest entries, and rows of the others go', async () => {
    const held = new EntryLog()
    held.addNewer(log(1_000, (seq) => entry(seq, 'usage'), 501))
    held.addOlder(log(500, (seq) => entry(seq, 'token', { text: 'x' })))
    const list = new RowList(held, all)
    list.work(never)
    expect([list.count, list.at(list.count - 1)]).toEqual([1_001, { first: 1, seq: 500 }])
    // At first the oldest of a merged text go, then all of it, then entries of the first page.
    for (const [more, low, rows] of [
      [ENTRIES_MAX - 1_400, 101, ENTRIES_MAX - 399],
      [400, 501, ENTRIES_MAX],
      [3_000, 3_501, ENTRIES_MAX],
    ] as const) {
      held.addNewer(log(more, (seq) => entry(seq, 'usage', { tool_call_id: `c${seq}` }), held.head + 1))
      expect([held.count, held.low, held.isCut]).toEqual([ENTRIES_MAX, low, true])
      list.work(never)
      expect([list.count, list.at(list.count - 1)?.first, list.at(0)?.seq]).toEqual([rows, low, held.head])
      expect([held.entry(low - 1), held.entry(low)?.seq]).toEqual([undefined, low])
    }
  })

  test('an empty log is whole', async () => {
    const held = new EntryLog()
    const progress: string[] = []
    await loadLog(pagerOf([]), held, (now) => progress.push(now), never)
    expect(progress).toEqual(['whole'])
    expect(new RowList(held, all).work(never)).toBe(true)
  })

  test('pieces of a text are one row, from news and from older pages; other runs and attempts are not', () => {
    const held = new EntryLog()
    const pieces = (seq: number): LogEntry =>
      seq % 10 === 0
        ? entry(seq, 'tool_call', { name: 'grep' })
        : entry(seq, 'token', { text: `${seq} ` }, seq < 15 ? 'r-1' : 'r-2')
    held.addNewer(log(10, pieces, 21))
    const rows = new RowList(held, all)
    rows.work(never)
    held.addOlder(log(20, pieces, 1))
    held.addNewer(log(4, pieces, 31))
    expect(rows.work(never)).toBe(true)
    expect(rowsOf(rows)).toEqual([
      [31, 34],
      [30, 30],
      [21, 29],
      [20, 20],
      [15, 19],
      [11, 14],
      [10, 10],
      [1, 9],
    ])
    expect([34, 25, 20, 12, 1, 99].map((seq) => rows.placeOf(seq))).toEqual([0, 2, 3, 5, 7, -1])
    expect(mergedText(held, 11, 14)).toBe('11 12 13 14 ')
  })

  test('work stops when its time is over, and goes on where it stopped', () => {
    const held = new EntryLog()
    held.addNewer(log(1_000, (seq) => entry(seq, seq % 2 === 0 ? 'usage' : 'hook_event')))
    const rows = new RowList(held, ({ type }) => type === 'usage')
    let slices = 0
    while (!rows.work(() => true)) slices += 1
    expect(slices).toBeGreaterThan(10)
    expect([rows.count, rows.at(0)?.seq, rows.at(499)?.seq]).toEqual([500, 1_000, 2])
  })

  test('in the past, rows end with the event that is looked at', () => {
    const held = new EntryLog()
    held.addNewer(log(50, (seq) => entry(seq, 'usage')))
    const rows = new RowList(held, all, 41)
    rows.work(never)
    expect([rows.count, rows.at(0)?.seq]).toEqual([41, 41])
  })
})

describe('[C69] filters', () => {
  const tiers = new Map([
    ['tool_call', 'default'],
    ['tool_outcome', 'default'],
    ['hook_event', 'debug'],
  ] as const)
  const entries = [
    entry(1, 'session_created', { kind: 'chat' }),
    entry(2, 'tool_call', { name: 'grep', tool_call_id: 'c1', arguments: { pattern: 'Retry' } }),
    entry(3, 'hook_event', { hook: 'pre_tool', tool_call_id: 'c1', status: 'ok' }),
    entry(4, 'tool_outcome', { tool_name: 'grep', tool_call_id: 'c1', status: 'error' }),
    entry(5, 'tool_batch', { tool_call_ids: ['c1', 'c2'], wave: 1 }),
    entry(6, 'tool_call', { name: 'edit', tool_call_id: 'c2' }),
  ]
  const held = new EntryLog()
  held.addNewer(entries)
  const shown = (filter: Partial<EntryFilter>): number[] => {
    const test = entryTest({ ...readFilter(new URLSearchParams()), ...filter }, tiers, held.facets)
    return entries.filter(test).map(({ seq }) => seq)
  }

  test.each([
    [{}, [1, 2, 3, 4, 5, 6]],
    [{ type: 'tool_call' }, [2, 6]],
    [{ tier: 'default' }, [2, 4, 6]],
    [{ tier: 'debug' }, [2, 3, 4, 6]],
    [{ tier: 'internal' }, [1, 5]],
    [{ tier: 'nonsense' }, []],
    [{ tool: 'grep' }, [2, 3, 4, 5]],
    [{ call: 'c2' }, [5, 6]],
    [{ status: 'error' }, [4]],
    [{ q: 'retry' }, [2]],
    [{ q: 'GREP c1' }, [2, 4]],
    [{ q: '.*' }, []],
    [{ type: 'tool_call', tool: 'edit', q: 'c2' }, [6]],
  ] as const)('%j', (filter, seqs) => {
    expect(shown(filter)).toEqual(seqs)
  })

  test('are kept in the address, and an empty one is not', () => {
    const query = withFilter(withFilter(new URLSearchParams('view=debug'), 'q', 'a&b=c'), 'tool', 'edit')
    expect(String(query)).toBe('view=debug&q=a%26b%3Dc&tool=edit')
    expect(readFilter(query)).toEqual({ type: '', tier: '', tool: 'edit', call: '', status: '', q: 'a&b=c' })
    expect(String(withFilter(query, 'q', ''))).toBe('view=debug&tool=edit')
  })

  test('offer the values that the entries have', () => {
    expect([
      [...held.facets.types].length,
      [...held.facets.tools],
      held.facets.calls,
      [...held.facets.statuses],
    ]).toEqual([5, ['grep', 'edit'], ['c1', 'c2'], ['ok', 'error']])
    expect(new LogFacets().calls).toEqual([])
  })
})

test.each([
  [
    'tool_outcome',
    { tool_name: 'grep', status: 'error', outcome_type: 'ToolFailure', elapsed_ms: 41 },
    'grep error: 41 ms',
  ],
  [
    'sandbox_notice',
    { requested_backend: 'docker', resolved_backend: 'bwrap', isolation: 'full' },
    'Sandbox: docker → bwrap · full',
  ],
  ['policy_decision', { subject: 'edit', outcome: 'ask', reason: 'It writes.' }, 'Policy: edit ask · It writes.'],
  ['hook_event', { hook: 'pre_tool', status: 'ok' }, 'Hook: pre_tool ok'],
  [
    'transport_diagnostic',
    { status: 'retrying', kind: 'provider_retry', failure_count: 1 },
    'Provider retrying: provider_retry · 1 failure',
  ],
  ['subagent_event', { agent_id: 'callers', status: 'completed' }, 'Subagent callers: completed'],
  [
    'context_compacted',
    { original_count: 46, compacted_count: 18, tokens_saved: 31_400 },
    'Context compacted: 46 → 18 messages · 31,400 tokens saved',
  ],
  ['token', { text: 'a\u202eb' }, 'a⟨U+202E⟩b'],
  ['of a newer server', { a: 1, b: { c: 2 } }, 'Of a newer server: a 1'],
  ['constructor', {}, 'Constructor'],
] as const)('a row of %s', (type, payload, words) => {
  expect(rowWords(entry(1, type, payload as LogEntry['payload']))).toBe(words)
})

test('a payload that the server withholds is said to be', () => {
  expect(rowWords({ ...entry(1, 'model_step'), withheld: true })).toBe('Payload withheld by the server')
})
