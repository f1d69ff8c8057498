export type {
  HarnessApproval,
  HarnessMessage,
  HarnessPart,
  HarnessPlace,
  HarnessState,
  HarnessToolCall,
} from '@bridle/kernel/projections/harness-state'
export { partText } from '@bridle/kernel/projections/message-parts'
