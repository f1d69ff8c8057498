// Prompts in the scripted agent's language, which the remote runner plays too.
import type { Prng } from './prng.ts'

export type ScriptStep =
  | { text: string; chunks?: number; everyMs?: number }
  | { thinking: string }
  | { tool: string; id: string; args: object; result: object; ms: number; effect: 'pure' | 'idempotent' | 'unsafe' }
  | { approve: string; id: string; args: { n: number }; expiresMs?: number }
  | { checkpoint: string }
  | { artifact: { name: string; content: string } }
  | { usage: { input_tokens: number; output_tokens: number; cost_usd: number } }
  | { sleepMs: number }
  | { fail: string; transient: boolean }

/** A unique prompt: the marker is in its first words. */
export const drawPrompt = (prng: Prng, marker: string): string => {
  const steps: ScriptStep[] = [{ text: `${marker}: ` }]
  for (let count = prng.int(0, 4); count > 0; count--) steps.push(drawStep(prng, steps.length))
  if (prng.chance(0.2)) steps.push({ fail: `${marker} fails`, transient: prng.chance(0.7) })
  return `@script ${JSON.stringify(steps)}`
}

export const parsePrompt = (prompt: string): readonly ScriptStep[] =>
  JSON.parse(prompt.slice('@script '.length)) as ScriptStep[]

/** All text that a complete run of the script writes. */
export const textOf = (prompt: string): string =>
  parsePrompt(prompt)
    .map((step) => ('text' in step ? step.text : ''))
    .join('')

const drawStep = (prng: Prng, index: number): ScriptStep => {
  const id = `call-${index}`
  switch (
    prng.weighted({
      text: 4,
      long: 0.5,
      thinking: 1,
      tool: 3,
      approve: 3,
      checkpoint: 1,
      artifact: 1,
      usage: 1,
      sleep: 2,
    })
  ) {
    case 'text':
      return { text: words(prng, prng.int(1, 12)), chunks: prng.int(1, 6), everyMs: prng.int(0, 40) }
    case 'long':
      return { text: words(prng, 200), chunks: prng.int(100, 600), everyMs: 0 }
    case 'thinking':
      return { thinking: words(prng, 3) }
    case 'tool':
      return {
        tool: prng.pick(['read_file', 'write_file']),
        id,
        args: { path: words(prng, 1) },
        result: { lines: prng.int(0, 99) },
        ms: prng.pick([0, 5, 500, 5_000]),
        effect: prng.pick(['pure', 'idempotent', 'unsafe']),
      }
    case 'approve':
      return {
        approve: prng.pick(['deploy', 'delete']),
        id,
        args: { n: prng.int(0, 9) },
        ...(prng.chance(0.6) && { expiresMs: prng.pick([500, 5_000, 60_000]) }),
      }
    case 'checkpoint':
      return { checkpoint: words(prng, 2) }
    case 'artifact':
      return { artifact: { name: 'a.txt', content: words(prng, 5) } }
    case 'usage':
      return { usage: { input_tokens: prng.int(1, 30), output_tokens: prng.int(1, 30), cost_usd: 0.01 } }
    case 'sleep':
      return { sleepMs: prng.pick([1, 50, 3_000]) }
  }
}

const words = (prng: Prng, count: number): string =>
  Array.from({ length: count }, () => prng.pick(['bridle', 'ends', 'häh', '👍', 'log', '"quoted"', 'line\n'])).join(' ')
