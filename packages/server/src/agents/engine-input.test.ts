import { expect, test } from 'vitest'
import { engineInputProblem } from './engine-input.ts'

test.each([
  [{ prompt: 'a' }, null],
  [{ prompt: 'a', model: 'sonnet', max_budget_usd: 0.5, max_turns: 3 }, null],
  [{ prompt: 'a', model: null, max_budget_usd: null, max_turns: null }, null],
  [{ prompt: 'a', permission_mode: 'bypassPermissions', attachments: [], colour: 'red' }, null],
  [{ prompt: 'a', max_budget_us: 1 }, '"max_budget_us" is not known here. Did you mean "max_budget_usd"?'],
  [{ prompt: 'a', maxTurns: 1 }, '"maxTurns" is not known here. Did you mean "max_turns"?'],
  [{ prompt: 'a', modle: 'x' }, '"modle" is not known here. Did you mean "model"?'],
  [{ prompt: 'a', max_turns: 0 }, '"max_turns" must be a count.'],
  [{ prompt: 'a', max_budget_usd: -1 }, '"max_budget_usd" must be a number.'],
])('[H173] %j: %j', (body, problem) => expect(engineInputProblem(body)).toBe(problem))
