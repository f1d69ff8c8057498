// The way into the debug page of a session, and back.
import { useCallback } from 'react'
import { useSearchParams } from 'wouter'
import { keyHintOf } from '../../actions/action-table.ts'
import { useAction } from '../../actions/use-action.ts'
import { DEBUG_VIEW } from '../../shell/paths.ts'
import { Button } from '../../ui/button.tsx'

export const DebugButton = () => {
  const [query, setQuery] = useSearchParams()
  const isOn = query.get('view') === DEBUG_VIEW
  const toggle = useCallback(
    () =>
      setQuery((before) => {
        const next = new URLSearchParams(before)
        if (next.get('view') === DEBUG_VIEW) next.delete('view')
        else next.set('view', DEBUG_VIEW)
        return next
      }),
    [setQuery],
  )
  useAction('debug.toggle', toggle)
  return (
    <span className="no-phone">
      <Button
        look={isOn ? 'plain' : 'ghost'}
        icon="terminal"
        isPressed={isOn}
        keyHint={keyHintOf('debug.toggle')}
        onClick={toggle}
      >
        Debug
      </Button>
    </span>
  )
}
