// Reports that an agent's function and a tool make in the same way.
import type { ReportItem } from '../kernel/commands.ts'
import { agentEventItem } from './agent-run.ts'
import type { UsageReport } from './session.ts'

export const artifactItem = (
  name: string,
  text: string,
  contentType = 'text/plain; charset=utf-8',
  kind = 'file',
): ReportItem & { readonly type: 'artifact' } => {
  const isText = [name, text, contentType, kind].every((part) => typeof part === 'string')
  if (!isText || name === '') throw new TypeError('session.artifact() takes a name and a text.')
  return { type: 'artifact', name, contentType, text, kind }
}

export const usageItem = ({ inputTokens, outputTokens, totalTokens, costUsd, contextUsagePct }: UsageReport) =>
  agentEventItem('usage', {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: totalTokens,
    cost_usd: costUsd,
    context_usage_pct: contextUsagePct,
  })
