import type { EngineInfo } from '@bridle/kernel/engine-info'
import * as v from 'valibot'
import * as f from './fields.ts'

const fidelities = v.record(v.string(), v.picklist(['native', 'derived', 'none']))

export const engineInfoSchema = f.kernelSchema<EngineInfo>('EngineInfo', 'An engine: its events and its features.', {
  name: f.text("The engine's name."),
  version: f.text('The version that is installed.'),
  events: f.described(
    fidelities as unknown as v.GenericSchema<EngineInfo['events']>,
    'The fidelity of each event type.',
  ),
  features: f.reference(
    f.kernelSchema<EngineInfo['features']>('EngineFeatures', 'The features of an engine.', {
      resume: f.flag('A session continues after a restart.'),
      fork: f.flag('A session can branch.'),
      steer: f.flag('A prompt can be added to a run in progress.'),
      interrupt: f.flag('A run can be interrupted.'),
      editedInput: f.flag('An approval may change the arguments.'),
      intentFirst: f.flag('Every call is announced, and the announcement is in the log, before the call acts.'),
      cost: f.flag('The engine reports its cost.'),
    }),
    'The features of the engine.',
  ),
  notes: f.list(v.string(), 'Deviations that the tables above cannot express.'),
})

const engineStatusSchema = f.extendedAnswer('EngineStatus', 'The engine of an agent.', [engineInfoSchema], {
  agent: f.text('The agent.'),
  available: f.flag('The agent can run now.'),
  needs: f.optional(f.text('The missing requirement; absent = the agent can run.')),
})
export type EngineStatus = f.AnswerOf<typeof engineStatusSchema>

export const engineListSchema = f.answer('EngineList', 'The engines of the agents.', {
  engines: f.list(engineStatusSchema, 'The engines.'),
})
export type EngineList = f.AnswerOf<typeof engineListSchema>
