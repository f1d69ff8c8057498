import { useAction } from '../actions/use-action.ts'
import { Button } from '../ui/button.tsx'
import { showToast } from '../ui/toast.tsx'
import { canNotify, setNotifying, useIsNotifying } from './use-notifications.ts'

/** Turns the browser's notes about new approvals on and off. */
export const NotifySwitch = () => {
  const isOn = useIsNotifying()
  const change = async (): Promise<void> => {
    const isNowOn = await setNotifying(!isOn)
    if (!isOn && !isNowOn)
      showToast({
        text: 'The browser does not allow notifications here. Allow them in the settings of this site.',
        tone: 'bad',
      })
  }
  useAction('inbox.notify', canNotify() ? change : null)
  if (!canNotify()) return null
  return (
    <Button look="ghost" icon="bell" isPressed={isOn} onClick={() => void change()}>
      {isOn ? 'Notifications on' : 'Notify me'}
    </Button>
  )
}
