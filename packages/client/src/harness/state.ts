// The state that a page renders: the transport's, as the server folds it.
export type {
  HarnessApproval,
  HarnessMessage,
  HarnessPart,
  HarnessPlace,
  HarnessState,
  HarnessToolCall,
} from '@bridle/kernel/projections/harness-state'
export { partText } from '@bridle/kernel/projections/message-parts'
