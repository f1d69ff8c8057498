import { expect, test } from 'vitest'
import type { AnyEvent } from '../event.ts'
import { FOUND_TOOLS_MAX, type Governance, governance, SESSION_GRANTS_MAX } from './governance.ts'

type Step = readonly [type: string, run: string, payload: object]
const fold = (...steps: readonly Step[]): Governance =>
  steps.reduce((state, [type, run, payload], index) => {
    const event = { type, run, payload, seq: index + 1, at: 1 } as unknown as AnyEvent
    return (governance.on as Record<string, (state: Governance, event: AnyEvent) => Governance>)[type]!(state, event)
  }, governance.initial)

const question = (run: string, id: string, grants: string): Step => [
  ...(['approval_required', run] as const),
  { request_id: id, grants, requested_digest: 'd' },
]
const decision = (run: string, id: string, more: object = {}): Step => [
  ...(['approval_decided', run] as const),
  { request_id: id, decision: 'approved', ...more },
]
const granted = (run: string, id: string): readonly Step[] => [question(run, id, `ask ${id}`), decision(run, id)]
const found = (run: string, ...names: string[]): Step => ['turn_start_tools', run, { tools: [], found: names }]
const artifact = (run: string): Step => ['artifact_published', run, { kind: 'tool_result', tool_call_id: 'c' }]
const rewound = (...run_ids: string[]): Step => ['rewound', '', { run_ids }]

test('[N96] [N103] [N104] an edit takes back everything of the runs that it takes back, and nothing else', () => {
  const state = fold(
    ...granted('r-1', 'a'),
    ...granted('r-2', 'b'),
    ...[found('r-1', 'one'), found('r-2', 'two'), artifact('r-2'), artifact('r-3'), rewound('r-2', 'r-3')],
  )
  expect(state.grants).toEqual([{ name: 'ask a', runId: 'r-1' }])
  expect(state.foundTools).toEqual([{ name: 'one', runId: 'r-1' }])
  expect(state.resultArtifactRun).toBe(null)
  expect(fold(artifact('r-1'), artifact('r-2'), rewound('r-2')).resultArtifactRun).toBe('r-1')
})

test('[N96] the open questions of a parent grant nothing in its branch', () => {
  const state = fold(question('r-1', 'a', 'ask a'), ['branched', '', {}], decision('r-1', 'a'))
  expect(state).toEqual(governance.initial)
})

test.each([{ decision: 'denied' }, { decision: 'expired' }, { decision: 'cancelled' }, { approved_digest: 'other' }])(
  '[N96] %j grants nothing, and closes the question',
  (more) => expect(fold(question('r-1', 'a', 'ask a'), decision('r-1', 'a', more))).toEqual(governance.initial),
)

test('[N96] [N103] grants and found tools have a limit; the newest stay', () => {
  const ids = Array.from({ length: SESSION_GRANTS_MAX + 2 }, (_, index) => `n${index}`)
  const { grants } = fold(...ids.flatMap((id) => granted('r-1', id)))
  expect([grants.length, grants.at(-1)?.name]).toEqual([SESSION_GRANTS_MAX, `ask ${ids.at(-1)}`])
  const { foundTools } = fold(...ids.map((id) => found('r-1', id)))
  expect([foundTools.length, foundTools.at(-1)?.name]).toEqual([FOUND_TOOLS_MAX, ids.at(-1)])
})
