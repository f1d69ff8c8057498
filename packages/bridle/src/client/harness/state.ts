// The state that a page renders: the transport's, as the server folds it.
export type {
  HarnessApproval,
  HarnessMessage,
  HarnessPart,
  HarnessPlace,
  HarnessState,
  HarnessToolCall,
} from '../../kernel/projections/harness-state.ts'
export { partText } from '../../kernel/projections/message-parts.ts'
