"use client";

import { useEffect, useState } from "react";
import { compute } from "../compute.js";

export default function Page() {
  const [report, setReport] = useState("");
  useEffect(() => {
    compute("the cat sat on the mat").then(
      (computed) => setReport(JSON.stringify(computed)),
      (error) => setReport(JSON.stringify({ error: `${error.code} ${error.message}` })),
    );
  }, []);
  return (
    <main>
      <headscope-attention text="the cat sat on the mat" />
      <pre id="report">{report}</pre>
    </main>
  );
}
