// The model and the effort of a turn, for agents of engines.

export const modelOptions = {
  model: { type: 'string', value: 'NAME', help: 'agents of an engine: the model of this turn' },
  effort: { type: 'string', value: 'LEVEL', help: 'agents of an engine: how much the model thinks' },
} as const

export interface TurnChoice {
  readonly model?: string
  readonly effort?: string
}
