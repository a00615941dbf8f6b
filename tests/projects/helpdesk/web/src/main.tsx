import { createRoot } from "react-dom/client";
import { ChatPage } from "./ChatPage";

const root = document.getElementById("root");
if (!root) {
  throw new Error("index.html has no #root");
}
createRoot(root).render(<ChatPage />);
