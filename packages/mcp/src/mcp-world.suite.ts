// Shared by the tests of MCP servers: an agent whose model calls the tool that the prompt names, and waiting for real servers.

import { agent } from '@bridle/agents/agent'
import { keyOf, type LoopWorld, lastResults, lastText, stubModel } from '@bridle/agents/loop/loop.suite'
import type { AgentLimits } from '@bridle/agents/model-agent'
import type { ToolSource } from '@bridle/agents/tools/tool-source'
import { expect, vi } from 'vitest'

/** Calls the tool that the prompt names, with the JSON behind it, then ends the turn with the result. */
const caller = stubModel((prompt) => {
  const results = lastResults(prompt)
  if (results) return { text: JSON.stringify(results[0]) }
  const [name = '', ...args] = lastText(prompt).split(' ')
  return { calls: [[name, args.length === 0 ? {} : JSON.parse(args.join(' '))]] }
})

export const callerAgent = (sources: readonly ToolSource[], name = 'tested', limits: Partial<AgentLimits> = {}) =>
  agent({ name, model: caller, tools: sources, limits })

/** Real servers answer in their own time: polls until the expectation holds. */
export const eventually = (check: () => unknown): Promise<unknown> =>
  vi.waitFor(check, { timeout: 20_000, interval: 10 })

/** Sends a prompt and waits for the end of its turn. Gives the result as the model got it. */
export const ask = async (it: LoopWorld, prompt: string, key = keyOf()): Promise<unknown> => {
  const before = (await it.payloads('turn_end', key)).length
  await it.submit(prompt, key)
  await eventually(async () => expect((await it.payloads('turn_end', key)).length).toBe(before + 1))
  const result = (await it.payloads('completed', key)).at(-1)?.result
  return typeof result === 'string' ? JSON.parse(result) : result
}

/** The last outcome of a call: its status, its reason and its error. */
export const lastOutcome = async (it: LoopWorld, key = keyOf()) => {
  const { status, reason, error } = (await it.payloads('tool_outcome', key)).at(-1) ?? {}
  return { status, reason, error }
}
