import { Link } from 'wouter'
import { Screen } from '../ui/screen.tsx'

export const UnknownPage = () => (
  <Screen icon="search-x" title="There is no such page" isPage>
    <p>
      The address leads nowhere. <Link href="/">All sessions</Link> are one click away.
    </p>
  </Screen>
)
