// The guardrail as it last spoke, and what the agent had before it while it worked. Nothing is made up: a fact that nobody told is absent.
import type { FrontendState } from 'bridle/client'

export interface GuardrailFacts {
  readonly confidence: number | null
  readonly layers: readonly string[]
  readonly trace: string
}

/** Layers are a list of names, a list of objects with one, or an object by name. */
export const guardrailFacts = ({
  confidence,
  layers,
  trace_id: trace = '',
}: NonNullable<FrontendState['guardrail']>): GuardrailFacts => ({
  confidence: confidence ?? null,
  layers: Array.isArray(layers)
    ? layers.flatMap(layerName)
    : typeof layers === 'object' && layers
      ? Object.keys(layers)
      : [],
  trace,
})

const layerName = (layer: unknown): string[] => {
  if (typeof layer === 'string') return [layer]
  const { name } = (layer ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' ? [name] : []
}

export interface CognitionFacts {
  readonly contextPct: number | null
  readonly compactions: number
  readonly retrievals: number
  readonly citations: number
  /** Attempts that a later one replaced. */
  readonly attempts: number
}

export const cognitionFacts = ({ context, retrievals, turns }: FrontendState): CognitionFacts => ({
  contextPct: context.usagePct,
  compactions: context.compactions,
  retrievals: retrievals.length,
  citations: retrievals.reduce((sum, { citations = [] }) => sum + citations.length, 0),
  attempts: turns.reduce((sum, { attempt }) => sum + attempt - 1, 0),
})
