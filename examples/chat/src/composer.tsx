import { AuiIf, ComposerPrimitive, QueueItemPrimitive } from '@assistant-ui/react'

export const Composer = () => (
  <ComposerPrimitive.Root className="composer">
    <ComposerPrimitive.Queue>
      {({ queueItem }) => (
        <div className="held">
          <span>{queueItem.prompt}</span>
          <small>sent when connected</small>
          <QueueItemPrimitive.Remove aria-label="Take back">×</QueueItemPrimitive.Remove>
        </div>
      )}
    </ComposerPrimitive.Queue>
    <div className="field">
      <ComposerPrimitive.Input aria-label="Prompt" placeholder="Ask, or say what to remember" maxRows={8} autoFocus />
      <AuiIf condition={(s) => s.thread.isRunning}>
        <ComposerPrimitive.Cancel className="button">Stop</ComposerPrimitive.Cancel>
      </AuiIf>
      <ComposerPrimitive.Send className="button primary">Send</ComposerPrimitive.Send>
    </div>
  </ComposerPrimitive.Root>
)
