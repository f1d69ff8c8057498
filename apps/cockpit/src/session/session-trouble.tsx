// A session that cannot be shown: unknown, another tenant's, damaged, or the server is gone. Each says what to do.
import { FabricError } from 'bridle/client'
import { Link } from 'wouter'
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Screen } from '../ui/screen.tsx'

interface SessionTroubleProps {
  readonly id: string
  readonly error: Error
  readonly onRetry: () => void
}

export const SessionTrouble = ({ id, error, onRetry }: SessionTroubleProps) => {
  const status = error instanceof FabricError ? error.status : 0
  if (status === 404)
    return (
      <Screen icon="search-x" title="There is no such session" isPage>
        <p>
          No session that you may open is called <code>{visibleText(id)}</code>. It may have been removed, or it belongs
          to another tenant or user.
        </p>
        <p>
          <Link href="/">All sessions</Link>
        </p>
      </Screen>
    )
  return (
    <Screen
      isPage
      icon={status === 0 ? 'unplug' : 'triangle-alert'}
      title={status === 0 ? 'The server does not answer' : 'The session cannot be shown'}
    >
      <p>
        {visibleText(error.message)}{' '}
        {status >= 500 && 'Other sessions are not affected. The log of the server has the reason.'}
      </p>
      <div className="row">
        <Button icon="rotate-cw" onClick={onRetry}>
          Try again
        </Button>
        <Link href="/">All sessions</Link>
      </div>
    </Screen>
  )
}
