import { TopBar } from '../shell/top-bar.tsx'

const InboxPage = () => (
  <TopBar>
    <h1>Inbox</h1>
  </TopBar>
)

export default InboxPage
