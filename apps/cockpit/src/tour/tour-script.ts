// The scripted session of the tour: a small repair that streams, thinks, uses tools, asks, and leaves a checkpoint. It runs on the
// user's own server, through the real log, and needs no key.

export const TOUR_TITLE = 'Tour: lower the retry budget'

const plan = ['Find the retry policy', 'Lower the limit', 'Tell what changed']

const step = (index: number, status: 'running' | 'completed') => ({
  event: {
    type: 'step_progress',
    payload: { step_id: `step-${index}`, status, title: plan[index - 1], index, total: plan.length },
  },
})

const tourSteps: readonly object[] = [
  step(1, 'running'),
  { thinking: 'The user wants fewer retries. I look for the policy first, then change it in one place.' },
  {
    text: 'I will look for the retry policy, change it once you allow it, and tell you what changed. Everything you read here was written to the session’s log first, so a crash cannot unsay it.\n\n',
    chunks: 60,
    everyMs: 40,
  },
  { tool: 'search_files', args: { pattern: 'attempts:' }, result: { matches: ['src/http/retry.ts:13'] }, ms: 700 },
  {
    tool: 'read_file',
    args: { path: 'src/http/retry.ts' },
    result: 'export const defaults = {\n  attempts: 5,\n  baseMs: 200,\n  budgetMs: 30_000,\n}\n',
    ms: 400,
  },
  step(1, 'completed'),
  step(2, 'running'),
  { usage: { input_tokens: 1_840, output_tokens: 212, cost_usd: 0.0061 } },
  { checkpoint: 'The policy is found: five attempts within 30 s' },
  { text: 'Five attempts within 30 seconds. I would make it three within 8.\n\n', chunks: 20, everyMs: 40 },
  {
    approve: 'edit_file',
    args: {
      path: 'src/http/retry.ts',
      old_text: '  attempts: 5,\n  baseMs: 200,\n  budgetMs: 30_000,\n',
      new_text: '  attempts: 3,\n  baseMs: 200,\n  budgetMs: 8_000,\n',
    },
    reason: 'A tool that changes files. It runs only after you allow it, with exactly these arguments.',
  },
  step(2, 'completed'),
  step(3, 'running'),
  { artifact: { name: 'summary.md', content: '# Retry budget\n\nAttempts 5 → 3, budget 30 s → 8 s.\n' } },
  {
    text: '| setting | before | after |\n| --- | --- | --- |\n| attempts | 5 | 3 |\n| budget | 30 s | 8 s |\n\nThe file is as you approved it. The checkpoint above still knows the state before: branch from it to try something else.',
    chunks: 40,
    everyMs: 30,
  },
  step(3, 'completed'),
  { usage: { input_tokens: 2_410, output_tokens: 168, cost_usd: 0.0074 } },
]

export const tourPrompt = `@script ${JSON.stringify(tourSteps)}`

/** The other way, from the checkpoint on. */
export const tourBranchPrompt = `@script ${JSON.stringify([
  {
    text: 'This is another session, begun at the checkpoint. The first one is as it was: both can be read, continued and compared.\n\nHere I keep five attempts and only shorten the time between them.',
    chunks: 40,
    everyMs: 30,
  },
  { usage: { input_tokens: 1_920, output_tokens: 96, cost_usd: 0.0052 } },
])}`
